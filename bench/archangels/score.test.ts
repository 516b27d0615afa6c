import { expect, test } from "vitest";
import { planKeeperSeeds } from "./plan-keeper-seeds.ts";
import { scoreOf } from "./score.ts";
import { securitySeeds } from "./security-seeds.ts";
import { diffOf, fileOf, plan, plantedLine, type Seed } from "./seed.ts";
import { simplicitySeeds } from "./simplicity-seeds.ts";
import { testsSeeds } from "./tests-seeds.ts";

const seed: Seed = {
  name: "one",
  step: "store",
  path: "src/a.js",
  expected: ["risk"],
  hunk: "\n a\n-b\n+c\n!d\n e\n",
};

test("a hunk is a file before, a file after, a planted line, and a diff as git shows it", () => {
  expect(fileOf(seed, "before")).toBe("a\nb\ne\n");
  expect(fileOf(seed, "after")).toBe("a\nc\nd\ne\n");
  expect(plantedLine(seed)).toEqual({ line: 3, text: "d" });
  expect(diffOf(seed)).toContain("@@ -1,3 +1,4 @@\n a\n-b\n+c\n+d\n e\n");
});

test.each([
  ["the line", { path: "src/a.js", line: 3, relation: "risk" }, { found: 1, missed: 0, falseAlarms: 0 }],
  ["near it", { path: "src/a.js", line: 6, relation: "risk" }, { found: 1, missed: 0, falseAlarms: 0 }],
  ["far off", { path: "src/a.js", line: 7, relation: "risk" }, { found: 0, missed: 1, falseAlarms: 1 }],
  ["another file", { path: "src/b.js", line: 3, relation: "risk" }, { found: 0, missed: 1, falseAlarms: 1 }],
  [
    "as what it is not",
    { path: "src/a.js", line: 3, relation: "off_plan" },
    { found: 0, missed: 1, falseAlarms: 1 },
  ],
] as const)("a comment on %s counts as it should", (_, comment, score) => {
  expect(scoreOf(seed, { comments: [comment], suggestions: 0 })).toEqual(score);
});

test("a second comment on one matter, and any word on a clean change, is a false alarm", () => {
  const right = { path: "src/a.js", line: 3, relation: "risk" } as const;
  expect(scoreOf(seed, { comments: [right, right], suggestions: 1 })).toEqual({
    found: 1,
    missed: 0,
    falseAlarms: 1,
  });
  const clean = { ...seed, expected: [], hunk: " a\n+c\n" };
  expect(scoreOf(clean, { comments: [right], suggestions: 1 }).falseAlarms).toBe(2);
});

test.each([
  ["plan-keeper", planKeeperSeeds],
  ["security", securitySeeds],
  ["tests", testsSeeds],
  ["simplicity", simplicitySeeds],
])(
  "%s has at least five planted mistakes and three clean changes, each of a step of the plan",
  (_, seeds) => {
    expect(seeds.filter((one) => plantedLine(one) !== null).length).toBeGreaterThanOrEqual(5);
    expect(seeds.filter((one) => plantedLine(one) === null).length).toBeGreaterThanOrEqual(3);
    for (const one of seeds) {
      expect(one.expected.length > 0).toBe(plantedLine(one) !== null);
      expect(plan.map(({ id }) => id)).toContain(one.step);
    }
    expect(new Set(seeds.map(({ path }) => path)).size).toBe(seeds.length);
  },
);
