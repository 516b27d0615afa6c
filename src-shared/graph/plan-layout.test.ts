import fc from "fast-check";
import { expect, test } from "vitest";
import type { Plan, PlannedTask } from "../domain/plan/plan.ts";
import { groundOfParts, planLayout, taskPart } from "./plan-layout.ts";

const task = (id: string, phase: number, after: readonly string[] = []): PlannedTask => ({
  id,
  title: id,
  description: "",
  phase,
  priority: "medium",
  files: [],
  after,
});
const plan = (tasks: readonly PlannedTask[], phases = [1, 2, 3]): Plan => ({
  goal: "g",
  summary: "",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "c", description: "", files: [] },
  phases: phases.map((number) => ({ number, title: `p${number}` })),
  tasks,
  integration: { title: "i", description: "" },
  budget: { tokens: null, microDollars: null },
});

test("phases stand one above the other, who waits stands above, an empty phase keeps a level", () => {
  const { places, bands, levels } = planLayout(
    plan([task("a", 1), task("b", 1), task("c", 1, ["a"]), task("d", 3, ["c"])]),
    false,
  );
  const at = (part: string) => places.find((place) => place.part === part);
  expect(at("contracts")).toMatchObject({ level: 0, column: 0 });
  expect(at(taskPart("a"))).toMatchObject({ level: 1, column: 0 });
  expect(at(taskPart("b"))).toMatchObject({ level: 1, column: 1 });
  expect(at(taskPart("c"))).toMatchObject({ level: 2, column: 0 });
  expect(at(taskPart("d"))).toMatchObject({ level: 4 });
  expect(at("integration")).toMatchObject({ level: 5 });
  expect(bands.map(({ phase, from, to, tasks }) => [phase, from, to, tasks])).toEqual([
    [1, 1, 2, 3],
    [2, 3, 3, 0],
    [3, 4, 4, 1],
  ]);
  expect(levels).toBe(6);
});

test("lines go to the nearest of what a part waits for by name, round what stands between", () => {
  const { lines } = planLayout(
    plan([task("a", 1), task("b", 1, ["a"]), task("c", 2, ["a"]), task("d", 3)], [1, 2, 3]),
    true,
  );
  expect(lines.map(({ upper, lower, way }) => `${upper}→${lower} ${way}`)).toEqual([
    "task:b→task:a lower",
    // b stands between c and a in the one column that there is.
    "task:c→task:a gap",
    // Nobody waits for b, and it is not of the last phase, which has the one line of the integration.
    "integration→task:b gap",
  ]);
});

test("a phase of which a task names none to wait for has one line to the phase below, not one for each pair", () => {
  const many = (phase: number) => Array.from({ length: 13 }, (_, n) => task(`${phase}-${n}`, phase));
  const { lines, phaseLines } = planLayout(plan([...many(1), ...many(2), task("last", 3, ["2-0"])]), false);
  expect(lines.map(({ upper, lower }) => `${upper}→${lower}`)).toEqual([
    "contracts→null",
    "task:last→task:2-0",
  ]);
  expect(phaseLines).toEqual([
    { upper: 1, lower: null },
    { upper: 2, lower: 1 },
    { upper: "integration", lower: 3 },
    // Twelve of its tasks nobody waits for by name: that is one line as well.
    { upper: "integration", lower: 2 },
  ]);
  // Where no bands are drawn, as in the log, every pair is spelled out.
  expect(groundOfParts(plan([...many(1), ...many(2)]), true)).toHaveLength(13 + 13 * 13 + 13);
});

test("40 tasks stand in rows that can be read at 1024 px, in the order of the plan", () => {
  const tasks = Array.from({ length: 40 }, (_, n) => task(`t${n}`, 1 + Math.floor(n / 14)));
  const { columns, places, bands } = planLayout(plan(tasks), true);
  expect(columns).toBe(4);
  expect(bands.map(({ from, to }) => to - from + 1)).toEqual([4, 4, 3]);
  expect(places.slice(0, 5).map(({ level, column }) => [level, column])).toEqual([
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 0],
  ]);
});

test("no two parts share a place and every line goes down, whatever the plan", () => {
  const ids = ["a", "b", "c", "d", "e", "f"];
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.record({
          id: fc.constantFrom(...ids),
          phase: fc.integer({ min: 1, max: 3 }),
          after: fc.subarray(ids),
        }),
        { selector: (one) => one.id },
      ),
      fc.boolean(),
      (tasks, onContracts) => {
        // Only a plan without a circle has an order to be drawn in; others are drawn somehow, each part once.
        const sound = tasks.map(({ id, phase, after }) =>
          task(
            id,
            phase,
            after.filter((one) => one < id && (tasks.find((other) => other.id === one)?.phase ?? 9) <= phase),
          ),
        );
        for (const each of [tasks.map(({ id, phase, after }) => task(id, phase, after)), sound]) {
          const { places, lines } = planLayout(plan(each), onContracts);
          expect(new Set(places.map(({ level, column }) => `${level} ${column}`)).size).toBe(places.length);
          expect(places).toHaveLength(each.length + (onContracts ? 1 : 2));
          if (each !== sound) continue;
          const level = new Map(places.map((place) => [place.part, place.level]));
          for (const { upper, lower } of lines)
            expect(level.get(upper)).toBeGreaterThan(lower === null ? -1 : (level.get(lower) ?? 99));
        }
      },
    ),
    { numRuns: 300 },
  );
});
