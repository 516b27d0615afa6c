import fc from "fast-check";
import { expect, test } from "vitest";
import type { Plan, PlannedTask } from "../domain/plan/plan.ts";
import { aPlan, aTask } from "../testing/kit.ts";
import { partDependencies, planPlaces, taskPart } from "./plan-layout.ts";

const task = (id: string, phase: number, after: readonly string[] = []): PlannedTask =>
  aTask(id, { phase, after });
const plan = (tasks: readonly PlannedTask[], numbers = [1, 2, 3]): Plan =>
  aPlan({ tasks, phases: numbers.map((number) => ({ number, title: `p${number}` })) });

test("phases are one above the other, dependents above dependencies, and an empty phase keeps a level", () => {
  const places = planPlaces(
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
});

test("the log lists dependencies task by task, phase by phase", () => {
  const many = (phase: number) => Array.from({ length: 13 }, (_, n) => task(`${phase}-${n}`, phase));
  expect(partDependencies(plan([...many(1), ...many(2)]), true)).toHaveLength(13 + 13 * 13 + 13);
});

test("no two parts share a place, and each is above its dependencies, for any plan", () => {
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
          const places = planPlaces(plan(each), onContracts);
          expect(new Set(places.map(({ level, column }) => `${level} ${column}`)).size).toBe(places.length);
          expect(places).toHaveLength(each.length + (onContracts ? 1 : 2));
          if (each !== sound) continue;
          const level = new Map(places.map((place) => [place.part, place.level]));
          for (const { upper, lower } of partDependencies(plan(each), onContracts))
            expect(level.get(upper)).toBeGreaterThan(lower === null ? -1 : (level.get(lower) ?? 99));
        }
      },
    ),
    { numRuns: 300 },
  );
});
