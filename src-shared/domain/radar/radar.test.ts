import { expect, test } from "vitest";
import { forecastOf, formatCrowd, formatPlace, meetingsOf, pairsOf } from "./radar.ts";

const lines = { from: 40, to: 60 };

test("findings by place are listed by pair, in numerical order", () => {
  const pairs = pairsOf([
    { path: "b.ts", lines: null, pairs: [["agent-10", "agent-2"]] },
    {
      path: "a.ts",
      lines,
      pairs: [
        ["agent-2", "agent-10"],
        ["agent-1", "agent-2"],
      ],
    },
    { path: "a.ts", lines: { from: 2, to: 2 }, pairs: [["agent-1", "agent-2"]] },
  ]);
  expect(pairs).toEqual([
    {
      ...{ a: "agent-2", b: "agent-10", files: ["a.ts", "b.ts"] },
      places: [
        { path: "a.ts", lines },
        { path: "b.ts", lines: null },
      ],
    },
    {
      ...{ a: "agent-1", b: "agent-2", files: ["a.ts"] },
      places: [
        { path: "a.ts", lines: { from: 2, to: 2 } },
        { path: "a.ts", lines },
      ],
    },
  ]);
  expect(meetingsOf({ pairs, crowds: [] }, "agent-2")).toEqual([
    { other: "agent-10", files: ["a.ts", "b.ts"] },
    { other: "agent-1", files: ["a.ts"] },
  ]);
  expect(meetingsOf({ pairs, crowds: [] }, "agent-3")).toEqual([]);
});

const workers = Array.from({ length: 9 }, (_, at) => `agent-${at + 1}`);
const everyone = workers.flatMap((one, at) => workers.slice(at + 1).map((other) => [one, other] as const));

test("too many pairs are named by their place, and none is dropped", () => {
  const forecast = forecastOf([
    { path: "api.ts", lines, pairs: everyone },
    { path: "store.ts", lines: null, pairs: [["agent-1", "agent-9"]] },
  ]);
  expect(forecast.crowds).toEqual([{ path: "api.ts", lines, workers }]);
  expect(forecast.crowds.map(formatCrowd)).toEqual(["api.ts, lines 40–60: 9 agents"]);
  expect(forecast.pairs.map(({ a, b, files }) => [a, b, files])).toEqual([
    ["agent-1", "agent-9", ["store.ts"]],
  ]);
  expect(meetingsOf(forecast, "agent-9").find(({ other }) => other === "agent-1")?.files).toEqual([
    "store.ts",
    "api.ts",
  ]);
  expect(meetingsOf(forecast, "agent-5")).toHaveLength(8);
});

test("many pairs that each meet elsewhere are listed by their places as well", () => {
  const meetings = everyone.map((pair, at) => ({ path: `${at}.ts`, lines: null, pairs: [pair] }));
  const { pairs, crowds } = forecastOf(meetings);
  expect([pairs, crowds.length]).toEqual([[], everyone.length]);
});

test("a place is a line, several, or the whole file", () => {
  const at = (place: typeof lines | null) => formatPlace({ path: "a.ts", lines: place });
  expect([at(lines), at({ from: 3, to: 3 }), at(null)]).toEqual([
    "a.ts, lines 40–60",
    "a.ts, line 3",
    "a.ts",
  ]);
});
