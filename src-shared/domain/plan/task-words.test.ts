import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeMetadata } from "../change-metadata/write-trailers.ts";
import { describeChange, editedTaskText } from "./task-texts.ts";

const task = { title: "Write the store", description: "Write src/store.txt.\n\nKeep it small." };
const written = describeChange(task.title, task.description, {
  kind: "task",
  status: "open",
  agent: "agent-1",
  run: "r1",
});

describe("the text of a task in its change", () => {
  it("is the plan's until the user edits it, whatever a model or Hox writes", () => {
    const lines = fc.array(
      fc.constantFrom(
        "",
        "a line",
        " indented",
        "Hox-Status: done",
        "Note: read this",
        "\tx",
        "Hox-Kind: task ",
      ),
    );
    fc.assert(
      fc.property(lines, lines, (title, body) => {
        const planned = { title: title.join("\n"), description: body.join("\n") };
        const text = describeChange(planned.title, planned.description, { kind: "task", status: "open" });
        expect(editedTaskText(planned, text)).toBeNull();
        expect(
          editedTaskText(planned, writeMetadata(text, { status: "in_progress", iteration: 3 })),
        ).toBeNull();
      }),
    );
  });

  it("is taken over when the user edits the title, the body, or both", () => {
    expect(editedTaskText(task, written.replace("Write the store", "Keep the users"))).toEqual({
      title: "Keep the users",
    });
    expect(editedTaskText(task, written.replace("Keep it small.", "In French."))).toEqual({
      description: "Write src/store.txt.\n\nIn French.",
    });
    expect(editedTaskText(task, "Keep the users\n\nIn French.\n\nSigned-off-by: a@example.com\n")).toEqual({
      title: "Keep the users",
      description: "In French.\n\nSigned-off-by: a@example.com",
    });
    expect(editedTaskText(task, "Write the store\r\n"), "only the title is left").toEqual({
      description: "",
    });
  });

  it("is not dropped when the change is empty", () => {
    expect(editedTaskText(task, "")).toBeNull();
    expect(editedTaskText(task, writeMetadata("", { kind: "task", run: "r1" }))).toBeNull();
  });
});
