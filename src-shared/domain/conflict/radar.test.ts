import { expect, test } from "vitest";
import { meetingsOf, pairsOf } from "./radar.ts";

test("what was found file by file is told pair by pair, in the order that people count in", () => {
  const pairs = pairsOf([
    { path: "b.ts", pairs: [["agent-10", "agent-2"]] },
    {
      path: "a.ts",
      pairs: [
        ["agent-2", "agent-10"],
        ["agent-1", "agent-2"],
      ],
    },
  ]);
  expect(pairs).toEqual([
    { a: "agent-2", b: "agent-10", files: ["a.ts", "b.ts"] },
    { a: "agent-1", b: "agent-2", files: ["a.ts"] },
  ]);
  expect(meetingsOf(pairs, "agent-2")).toEqual([
    { other: "agent-10", files: ["a.ts", "b.ts"] },
    { other: "agent-1", files: ["a.ts"] },
  ]);
  expect(meetingsOf(pairs, "agent-3")).toEqual([]);
});

test("where there are too many pairs nobody who meets someone is left out", () => {
  const workers = Array.from({ length: 16 }, (_, at) => `agent-${at + 1}`);
  const everyone = workers.flatMap((one, at) => workers.slice(at + 1).map((other) => [one, other] as const));
  const pairs = pairsOf([{ path: "CHANGELOG.md", pairs: everyone }]);
  expect(pairs).toHaveLength(24);
  expect(new Set(pairs.flatMap(({ a, b }) => [a, b])).size).toBe(16);
});
