import { expect, test } from "vitest";
import { meetingsOf, pairsOf } from "./radar.ts";

test("findings by file are listed by pair, in numerical order", () => {
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

test("with too many pairs, every conflicting agent is still listed", () => {
  const workers = Array.from({ length: 16 }, (_, at) => `agent-${at + 1}`);
  const everyone = workers.flatMap((one, at) => workers.slice(at + 1).map((other) => [one, other] as const));
  const pairs = pairsOf([{ path: "CHANGELOG.md", pairs: everyone }]);
  expect(pairs).toHaveLength(24);
  expect(new Set(pairs.flatMap(({ a, b }) => [a, b])).size).toBe(16);
});
