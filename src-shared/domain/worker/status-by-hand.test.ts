import { describe, expect, it } from "vitest";
import { statuses } from "../change-metadata/metadata.ts";
import { commandOf, type TaskNow } from "./status-by-hand.ts";

const task: TaskNow = {
  title: "Write the store",
  worker: "agent-1",
  delegated: false,
  status: "in_progress",
  isPaused: false,
  byHand: false,
  inTrouble: false,
  accepted: false,
};
const kindOf = (...[written, now]: [Parameters<typeof commandOf>[0], Partial<TaskNow>]) =>
  commandOf(written, { ...task, ...now }).kind;

describe("a status that the user writes into a task of a run", () => {
  it("is a command to the run", () => {
    expect(kindOf("abandoned", {})).toBe("remove");
    expect(kindOf("done", {})).toBe("finish");
    expect(kindOf("blocked", {})).toBe("pause");
    expect(kindOf("open", { isPaused: true, status: "blocked" })).toBe("go-on");
    expect(kindOf("open", { inTrouble: true, status: "blocked" })).toBe("go-on");
  });

  it("means nothing if it is the run's own status, was written by the run, or was removed", () => {
    for (const status of statuses) expect(kindOf(status, { status })).toBe("none");
    expect(kindOf("in_progress", { status: "open" })).toBe("none");
    expect(kindOf("review", {})).toBe("none");
    expect(kindOf("done", { status: "review", accepted: true }), "a merge writes it first").toBe("none");
    expect(kindOf("open", {}), "nothing keeps it from going on").toBe("none");
    expect(kindOf(undefined, {})).toBe("none");
    for (const status of statuses) expect(kindOf(status, { status: "abandoned" })).toBe("none");
  });

  it("is refused if it would break something, with the command that does it", () => {
    const words = (...of: Parameters<typeof kindOf>) => {
      const command = commandOf(of[0], { ...task, ...of[1] });
      return command.kind === "refused" ? `${command.reason} ${command.remedy}` : command.kind;
    };
    for (const written of ["abandoned", "blocked", "open"] as const)
      expect(words(written, { status: "done" })).toContain("hox undo agent-1");
    expect(words("done", { status: "review" })).toContain("inbox");
    expect(words("open", { byHand: true, isPaused: true })).toContain("hox give-back agent-1");
    expect(words("open", { status: "review" })).toContain("hox message agent-1");
    expect(words("done", { delegated: true, worker: "O-B-1" })).toContain("O-B-1");
    expect(words("abandoned", { delegated: true })).toBe("remove");
  });
});
