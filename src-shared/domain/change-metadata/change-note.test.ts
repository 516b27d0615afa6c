import { describe, expect, it } from "vitest";
import { addToNote, indexNotes, noteBlock, parseNote, withNote } from "./change-note.ts";

const commitId = "a".repeat(40);
const task = noteBlock(
  "k".repeat(32),
  'Write the store\n\nWhy.\n\nHox-Kind: task\nHox-Agent: agent-1\nHox-Later: "unknown"\nReviewed-by: Ann\n',
);
const message = noteBlock("m".repeat(32), "Told\n\nHox-Kind: message\nHox-Msg-Type: mutation\n");

describe("noteBlock", () => {
  it("includes only Hox's lines, and all of them", () => {
    expect(task).toBe(
      `Hox-Kind: task\nHox-Agent: agent-1\nHox-Later: "unknown"\nHox-Change: ${"k".repeat(32)}`,
    );
  });
});

describe("addToNote", () => {
  const first = addToNote("", "l".repeat(32), [task, message]);

  it("writes what parseNote reads, the commit's own block first", () => {
    const note = parseNote(commitId, first);
    expect(note.landedAs).toBe("l".repeat(32));
    expect(note.blocks).toEqual([
      { changeId: "k".repeat(32), metadata: { kind: "task", agent: "agent-1" } },
      { changeId: "m".repeat(32), metadata: { kind: "message", msgType: "mutation" } },
    ]);
  });

  it("changes nothing if the blocks are there already", () => {
    expect(addToNote(first, "l".repeat(32), [message, task])).toBe(first);
  });

  it("keeps the user's edits and additions, and adds only missing keys", () => {
    const edited = `See #12: read it first.\n\n${first
      .replace("Hox-Kind: task\n", "")
      .replace("agent-1", "agent-7\nReviewed by Ann on Monday")}`;
    const again = addToNote(edited, "l".repeat(32), [task, message]);
    expect(again).toContain("See #12: read it first.");
    expect(again).toContain("Hox-Agent: agent-7\nReviewed by Ann on Monday");
    expect(again).not.toContain("agent-1");
    expect(
      withNote({ commitId, changeId: "", metadata: {} }, indexNotes([parseNote(commitId, again)])),
    ).toEqual({ commitId, changeId: "", metadata: { kind: "task", agent: "agent-7" } });
  });
});

describe("withNote", () => {
  const notes = indexNotes([parseNote(commitId, addToNote("", "l".repeat(32), [task]))]);

  it("finds a rewritten commit by its change, and prefers its own description", () => {
    const rewritten = { commitId: "b".repeat(40), changeId: "l".repeat(32), metadata: { agent: "agent-9" } };
    expect(withNote(rewritten, notes).metadata).toEqual({ kind: "task", agent: "agent-9" });
    const other = { commitId: "b".repeat(40), changeId: "z".repeat(32), metadata: {} };
    expect(withNote(other, notes)).toBe(other);
  });
});
