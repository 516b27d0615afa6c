import { describe, expect, it } from "vitest";
import { classifyConflicts, resolvedConflicts } from "./conflict.ts";

describe("conflicts", () => {
  const before = [{ changeId: "a", files: ["api.ts"] }];
  const after = [
    { changeId: "a", files: ["api.ts", "user.ts"] },
    { changeId: "b", files: ["user.ts"] },
    { changeId: "decision", files: ["user.ts"] },
  ];

  it("that a decision brings are the agents' to correct; its own are for the orchestrator", () => {
    expect(classifyConflicts(before, after, { kind: "mutation", changeId: "decision" })).toEqual([
      { kind: "mutation", changeId: "a", files: ["user.ts"], mutation: "decision" },
      { kind: "mutation", changeId: "b", files: ["user.ts"], mutation: "decision" },
      { kind: "merge", changeId: "decision", files: ["user.ts"] },
    ]);
  });

  it("that anything else brings are merge conflicts, and old ones are no news", () => {
    const found = classifyConflicts(before, after, { kind: "other" });
    expect(found.map((conflict) => conflict.kind)).toEqual(["merge", "merge", "merge"]);
    expect(classifyConflicts(after, after, { kind: "other" })).toEqual([]);
    expect(classifyConflicts(after, before, { kind: "mutation", changeId: "decision" })).toEqual([]);
  });

  it("are told as resolved once no file is left", () => {
    expect(
      resolvedConflicts(after, [
        { changeId: "a", files: ["api.ts"] },
        { changeId: "b", files: [] },
      ]),
    ).toEqual(["b", "decision"]);
  });
});
