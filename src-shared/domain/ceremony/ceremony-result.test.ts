import { describe, expect, test } from "vitest";
import { leftToIntegrate, type MergedResult, type Result, seatsFor, taughtBy } from "./ceremony-result.ts";
import { fullCeremony } from "./testing/full-ceremony.ts";

const diffOf = (path: string, ...lines: readonly string[]): string =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join("\n")}\n`;

describe("what bringing tasks together leaves to do", () => {
  const store = {
    task: "store",
    diff: diffOf("src/store.ts", "export function saveUser(user) {", "const cents = 1;", "}"),
  };
  const merged = (over: Partial<MergedResult> = {}): MergedResult => ({
    conflicts: [],
    failed: [],
    diffs: [],
    builtOn: () => false,
    ...over,
  });

  test("conflicts and failed checks are something to do, nothing is nothing", () => {
    expect(leftToIntegrate(merged())).toBeNull();
    expect(leftToIntegrate(merged({ conflicts: ["a.ts"] }))).toBe("a.ts is in conflict.");
    expect(leftToIntegrate(merged({ failed: ["tests failed"] }))).toBe(
      "On the merged result tests failed did not pass.",
    );
  });

  test("a name that one gives others and another one uses is something to do, unless it saw that work", () => {
    const api = {
      task: "api",
      diff: diffOf("src/api.ts", 'import { saveUser } from "./store.ts";', "saveUser({});"),
    };
    const both = merged({ diffs: [store, api] });
    expect(leftToIntegrate(both)).toBe(
      '"store" and "api" meet in saveUser, and neither saw the other\'s work.',
    );
    expect(
      leftToIntegrate({ ...both, builtOn: (task, other) => task === "api" && other === "store" }),
    ).toBeNull();
    // What stands in a comment, or both have for themselves, is not the other's.
    const apart = {
      task: "api",
      diff: diffOf("src/api.ts", "// like saveUser", "const cents = 2;", "export function sendUser() {}"),
    };
    expect(leftToIntegrate(merged({ diffs: [store, apart] }))).toBeNull();
    const own = { task: "api", diff: diffOf("src/api.ts", "export function saveUser() {}") };
    expect(leftToIntegrate(merged({ diffs: [store, own] }))).toBeNull();
  });

  test("one source file of two is something to do, a page of prose is together already", () => {
    const other = { task: "api", diff: diffOf("src/store.ts", "let other = 1;") };
    expect(leftToIntegrate(merged({ diffs: [store, other] }))).toBe(
      '"store" and "api" both changed src/store.ts.',
    );
    const prose = (id: string) => ({ task: id, diff: diffOf("CHANGELOG.md", `- ${id}`) });
    expect(leftToIntegrate(merged({ diffs: [prose("a"), prose("b")] }))).toBeNull();
  });

  test("what two use of the contracts is where they meet", () => {
    const contract = { task: null, diff: diffOf("src/contract.py", "class Profile:", "    name: str") };
    const uses = (id: string) => ({ task: id, diff: diffOf(`src/${id}.py`, "from contract import Profile") });
    expect(leftToIntegrate(merged({ diffs: [contract, uses("a"), uses("b")] }))).toBe(
      '"a", "b" meet in Profile of the contracts.',
    );
    expect(leftToIntegrate(merged({ diffs: [contract, uses("a")] }))).toBeNull();
  });
});

describe("how many seats judge a result", () => {
  const rules = { all: 4, largeLines: 5, largeFiles: 2, riskyFiles: ["**/auth/**"] };
  const small: Result = {
    diff: diffOf("src/a.ts", "one"),
    checks: 1,
    rejected: 0,
    hadConflict: false,
    decisions: 0,
    overridden: [],
    protectedFiles: [],
  };
  const seats = (over: Partial<Result> = {}, value: "all" | "one" | "by-result" = "by-result") =>
    seatsFor({ value, by: "plan", reason: "Said so." }, { ...small, ...over }, rules);

  test("one, where it is small and nothing about it is a risk", () => {
    expect(seats()).toEqual({ seats: 1, reason: "The result is small, and nothing about it is a risk." });
  });

  test.each([
    [{ diff: diffOf("src/a.ts", ..."abcdef") }, "It is large: 6 changed lines."],
    [{ diff: ["a", "b", "c"].map((name) => diffOf(name, "one")).join("") }, "It is large: 3 changed files."],
    [
      { diff: diffOf("src/auth/key.ts", "one") },
      "It changes src/auth/key.ts, which is a risk by ceremony.risky_files.",
    ],
    [{ protectedFiles: ["Cargo.lock"] }, "It changes Cargo.lock, which is protected."],
    [{ hadConflict: true }, "A conflict was resolved on the way."],
    [{ decisions: 1 }, "A decision bound several agents on the way."],
    [{ overridden: ["agent-2"] }, "The work of agent-2 was accepted over a failed check."],
    [{ checks: 0 }, "No check says anything about it."],
    [{ rejected: 1 }, "It was rejected before."],
  ])("all, where it is large or a risk: %#", (over, reason) => {
    expect(seats(over)).toEqual({ seats: 4, reason });
  });

  test("as it was chosen; after a rejection all look again", () => {
    expect(seats({}, "all")).toEqual({ seats: 4, reason: "Said so." });
    expect(seats({ hadConflict: true }, "one").seats).toBe(1);
    expect(seats({ rejected: 1 }, "one").seats).toBe(4);
    expect(seatsFor(fullCeremony.seats, small, { ...rules, all: 7 }).seats).toBe(7);
  });
});

test("a run taught something where it did not go as it was planned", () => {
  const nothing = { conflicts: 0, repairs: 0, questions: 0, overrides: 0, rejectedReviews: 0 };
  expect(taughtBy(nothing)).toBeNull();
  expect(taughtBy({ ...nothing, conflicts: 2, rejectedReviews: 1 })).toBe("2 conflicts, 1 rejected review");
});
