import { describe, expect, it } from "vitest";
import type { FileEdit } from "../symbols/changed-symbols.ts";
import {
  changedLines,
  type FinishedTask,
  integratorCondition,
  largeFiles,
  largeLines,
  learningCondition,
  type MergedResult,
  type Result,
  reviewCondition,
  staysSmall,
  validatorsFor,
} from "./result-conditions.ts";

const diffOf = (path: string, lines: number): string =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines} @@\n${"+line\n".repeat(lines)}`;

describe("integratorCondition", () => {
  const changed = (task: string, ...files: string[]) => ({
    ...{ task, files: new Set(files), edits: new Map(), addedCode: "" },
  });
  const edited = (task: string, over: Partial<FileEdit>, addedCode = "") => ({
    ...changed(task, "src/x.ts"),
    edits: new Map([
      [
        "src/x.ts",
        { changed: new Set<string>(), signatures: new Set<string>(), hasOtherCode: false, ...over },
      ],
    ]),
    addedCode,
  });
  const merged = (over: Partial<MergedResult> = {}): MergedResult => ({
    failed: [],
    tasks: [],
    isBuiltOn: () => false,
    ...over,
  });

  it("needs no integrator when nothing is left", () => {
    expect(integratorCondition(merged())).toBeNull();
    expect(
      integratorCondition(merged({ tasks: [changed("a", "src/a.ts"), changed("b", "src/b.ts")] })),
    ).toBeNull();
  });

  it("names failed checks", () => {
    expect(integratorCondition(merged({ failed: ["tests failed"] }))).toBe(
      "tests failed did not pass on the merged result.",
    );
  });

  it("names a source file that two tasks changed, unless one was built on the other", () => {
    const both = merged({ tasks: [changed("a", "src/a.ts", "src/x.ts"), changed("b", "src/x.ts")] });
    expect(integratorCondition(both)).toBe('"a" and "b" both changed src/x.ts.');
    expect(
      integratorCondition({ ...both, isBuiltOn: (task, other) => task === "b" && other === "a" }),
    ).toBeNull();
  });

  it("needs no integrator where two tasks changed different symbols of one file", () => {
    const [a, b] = [
      edited("a", { changed: new Set(["Store.save"]) }),
      edited("b", { changed: new Set(["Store.load"]) }),
    ];
    expect(integratorCondition(merged({ tasks: [a, b] }))).toBeNull();
    expect(integratorCondition(merged({ tasks: [a, changed("b", "src/x.ts")] })), "not parsed").toBe(
      '"a" and "b" both changed src/x.ts.',
    );
  });

  it("names the symbol that both changed, also inside another one, and code outside symbols", () => {
    const a = edited("a", { changed: new Set(["Store.save"]), hasOtherCode: true });
    const reason = (b: Partial<FileEdit>) => integratorCondition(merged({ tasks: [a, edited("b", b)] }));
    expect(reason({ changed: new Set(["Store.save"]) })).toBe(
      '"a" and "b" both changed Store.save in src/x.ts.',
    );
    expect(reason({ changed: new Set(["Store"]) })).toBe('"a" and "b" both changed Store.save in src/x.ts.');
    expect(reason({ hasOtherCode: true })).toBe(
      '"a" and "b" both changed code outside functions and classes in src/x.ts.',
    );
  });

  it("names a changed signature that the other task's new code uses", () => {
    const a = edited("a", { changed: new Set(["Store.save"]), signatures: new Set(["Store.save"]) });
    const b = (code: string) => edited("b", { changed: new Set(["Store.load"]) }, code);
    expect(integratorCondition(merged({ tasks: [a, b("  await this.save(user);")] }))).toBe(
      '"a" changed the signature of Store.save in src/x.ts, which "b" uses.',
    );
    expect(integratorCondition(merged({ tasks: [b("saved()"), a] }))).toBeNull();
  });

  it("ignores a file that is not source code", () => {
    const text = merged({ tasks: [changed("a", "CHANGELOG.md"), changed("b", "CHANGELOG.md")] });
    expect(integratorCondition(text)).toBeNull();
  });
});

describe("validatorsFor", () => {
  const small: Result = {
    diff: diffOf("src/a.ts", 1),
    checks: 1,
    rejected: 0,
    hadConflict: false,
    decisions: 0,
    overridden: [],
    protectedFiles: [],
  };
  const validators = (over: Partial<Result> = {}, mode: "on" | "off" | "auto" = "auto") =>
    validatorsFor(
      { mode, by: "user", reason: "You chose it." },
      { ...small, ...over },
      { count: 4, riskyFiles: ["**/auth/**"] },
    );

  it("asks one validator when the result is small and changes nothing risky", () => {
    expect(validators()).toEqual({ seats: 1, reason: "The result is small and changes nothing risky." });
  });

  it.each([
    [{ diff: diffOf("src/a.ts", largeLines + 1) }, "It is large: 401 changed lines."],
    [
      { diff: Array.from({ length: largeFiles + 1 }, (_, at) => diffOf(`${at}.ts`, 1)).join("") },
      "It is large: 21 changed files.",
    ],
    [
      { diff: diffOf("src/auth/key.ts", 1) },
      "It changes src/auth/key.ts, which matches workflow.risky_files.",
    ],
    [{ protectedFiles: ["Cargo.lock"] }, "It changes Cargo.lock, which is protected."],
    [{ hadConflict: true }, "A conflict was resolved."],
    [{ decisions: 1 }, "A decision bound several agents."],
    [{ overridden: ["agent-2"] }, "The work of agent-2 was accepted despite a failed check."],
    [{ checks: 0 }, "No check ran on it."],
    [{ rejected: 1 }, "It was rejected before."],
  ])("asks a panel when the result is large or risky: %#", (over, reason) => {
    expect(validators(over)).toEqual({ seats: 4, reason });
  });

  it("prefers the mode to the condition, and asks a panel after a rejection", () => {
    expect(validators({}, "on")).toEqual({ seats: 4, reason: "You chose it." });
    expect(validators({ hadConflict: true }, "off")).toEqual({ seats: 1, reason: "You chose it." });
    expect(validators({ rejected: 1 }, "off").seats).toBe(4);
  });
});

describe("reviewCondition", () => {
  const review = (over: Partial<FinishedTask>) =>
    reviewCondition(
      {
        ...{ diff: diffOf("src/a.ts", 10), claims: ["src/a.ts"], beyond: [], checks: 1, hasMet: false },
        ...{ isDisputed: false, decisions: 0, isMissingWork: false, protectedFiles: [] },
        ...over,
      },
      ["**/migrations/**"],
    );

  it("needs no review of work that stays within its task and passes a check", () => {
    expect(review({})).toBeNull();
  });

  it.each<[Partial<FinishedTask>, string]>([
    [{ diff: "" }, "It changes no file."],
    [{ claims: [] }, "Its task names no files."],
    [{ beyond: ["src/b.ts"] }, "It changes src/b.ts, which is not its own."],
    [
      { diff: diffOf("migrations/1.sql", 1) },
      "It changes migrations/1.sql, which matches workflow.risky_files.",
    ],
    [{ protectedFiles: ["Cargo.lock"] }, "It changes Cargo.lock, which is protected."],
    [{ hasMet: true }, "It met other work."],
    [{ isMissingWork: true }, "It lacks work of another task."],
    [{ isDisputed: true }, "It was commented on."],
    [{ decisions: 1 }, "A decision binds it."],
    [{ checks: 0 }, "No check passed on it."],
  ])("needs one otherwise: %#", (over, reason) => {
    expect(review(over)).toBe(reason);
  });

  it("lets work pass unreviewed up to what one validator judges", () => {
    expect(changedLines(diffOf("src/a.ts", largeLines))).toBe(largeLines);
    expect(staysSmall(largeLines)).toBe(true);
    expect(staysSmall(largeLines + 1)).toBe(false);
  });
});

describe("learningCondition", () => {
  const nothing = { conflicts: 0, repairs: 0, questions: 0, overrides: 0, rejectedReviews: 0 };

  it("counts what did not go as planned", () => {
    expect(learningCondition(nothing)).toBeNull();
    expect(learningCondition({ ...nothing, conflicts: 2, rejectedReviews: 1 })).toBe(
      "2 conflicts, 1 rejected review",
    );
  });
});
