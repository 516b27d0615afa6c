import { describe, expect, test } from "vitest";
import { nothingSpent } from "../../src-shared/domain/spending/usage.ts";
import { spendingTable, tableOf } from "./rows.ts";
import { askerOf, lostWork, type Observed, pairScore, resolvedBy, spendingBy } from "./score.ts";

const pairs = [
  { a: "one", b: "two", files: ["a.txt"] },
  { a: "one", b: "three", files: ["a.txt"] },
];
const times = {
  one: { written: { "a.txt": 1_000, "one.test": 9_000 }, done: 10_000 },
  two: { written: { "a.txt": 3_000 }, done: 8_000 },
  three: { written: { "a.txt": 2_000 }, done: 12_000 },
};

test("spendingBy sums an orchestrator's requests by event, and others' by role", () => {
  const asked = (role: string, prompt: string) => ({
    who: askerOf({ role, prompt }),
    spent: { ...nothingSpent, requests: 1 },
  });
  const requests = [
    asked("O-A-1", "[EVENT plan] A goal"),
    asked("agent-1", "Work"),
    asked("agent-2", "Work"),
  ];
  expect(spendingBy(requests).map(({ who, spent }) => [who, spent.requests])).toEqual([
    ["plan", 1],
    ["agents", 2],
  ]);
});

describe("pairScore", () => {
  test("counts pairs in any order, and wrong ones apart", () => {
    const named = [
      { a: "two", b: "one", at: 5_500 },
      { a: "two", b: "three", at: 6_000 },
    ];
    expect(pairScore(pairs, { named, times })).toEqual({
      ...{ truePairs: 2, namedPairs: 2, foundPairs: 1 },
      ...{ secondsToName: [2.5], namedBeforeDone: 1 },
    });
  });

  test("measures from the later write of a file in which they meet, never below nothing", () => {
    const named = [
      { a: "one", b: "two", at: 2_500 },
      { a: "one", b: "three", at: 11_000 },
    ];
    expect(pairScore(pairs, { named, times })).toMatchObject({ secondsToName: [0, 9], namedBeforeDone: 1 });
  });

  test("says nothing of a pair of which nobody was seen to write", () => {
    expect(pairScore(pairs, { named: [{ a: "one", b: "two", at: 1 }], times: {} })).toMatchObject({
      ...{ foundPairs: 1, secondsToName: [] },
    });
  });
});

test("resolvedBy counts files by who was asked", () => {
  const resolutions = [
    { role: "agent-2", files: ["a", "b"] },
    { role: "merger-1", files: ["a"] },
    { role: "integrator", files: ["c"] },
  ];
  expect(resolvedBy(resolutions, 1)).toEqual({ own: 2, sibling: 1, integrator: 1, user: 1 });
});

describe("lostWork", () => {
  const feature = (id: string) => ({ id, title: id, asks: "", edits: [], test: { path: "", content: "" } });
  const diff = (path: string, ...lines: readonly string[]): string =>
    `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join("")}`;
  const diffs = {
    one: diff("test_one.py", "def test_one():", "    assert one() == 1"),
    two: diff("test_two.py", "def test_two():", "    assert two() == 2"),
  };
  const features = [feature("one"), feature("two")];

  test("names what of a feature's patch did not land", () => {
    expect(lostWork(features, { diffs }, { diff: diffs.one + diffs.two })).toEqual([]);
    expect(lostWork(features, { diffs }, { diff: diffs.one })).toMatchObject([
      { worker: "two", missing: 2, tests: [{ name: "test_two" }] },
    ]);
  });
});

test("tableOf writes a line for each set, with multiples of one agent alone", () => {
  const observed = (times: number): Observed => ({
    ...{ hasLanded: true, stuck: null, wallMs: 1_000 * times, jj: 10 * times, tokens: 100 * times },
    ...{ microDollars: 5 * times, named: [], times: {}, resolutions: [], cards: 0 },
    spending: [{ who: "agents", spent: { ...nothingSpent, microDollars: 5 * times, requests: 7 } }],
  });
  const score = {
    ...{ passing: 3, features: 4, newlyFailing: 1, lostLines: 2, lostTests: 1 },
    ...{ truePairs: 6, namedPairs: 6, foundPairs: 5, secondsToName: [1, 2.5], namedBeforeDone: 2 },
    ...{ resolved: { own: 1, sibling: 0, integrator: 2, user: 0 }, mostSides: 4, commits: 5 },
  };
  const outcome = { name: "x/lines", team: observed(3), score, alone: observed(2), passingAlone: 4 };
  expect(tableOf([outcome]).split("\n").at(-1)).toBe(
    "|x/lines|3/4 (breaks 1)|2+1|5/6|1|2.5s|2|1/0/2/0|4|1.5|1.5|1.5|1.5|7|",
  );
  expect(spendingTable([outcome]).split("\n").slice(2)).toEqual([
    "|x/lines|agents|7|0|0|0|0|0.000|1.50|",
    "|x/lines|alone: agents|7|0|0|0|0|0.000|1.00|",
  ]);
});
