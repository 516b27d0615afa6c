import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawnTime, unshortened } from "#shared/domain/timeline/time-spans.ts";
import { densityByActor, highest } from "./actor-density.ts";

const operation = fc.record({
  time: fc.integer({ min: 0, max: 2_000 }),
  actor: fc.constantFrom("agent-1", "agent-2", "agent-10", "hox"),
});

describe("the density of operations", () => {
  it("is drawn at its moments: a night takes a fifth of the track", () => {
    const minute = 60_000;
    const time = drawnTime([{ from: 8 * minute, to: 600 * minute, why: "away" }], 0);
    const operations = [7 * minute, 601 * minute].map((at) => ({ time: at, actor: "hox" }));
    const bars = densityByActor(operations, { ...time, from: 0, to: 602 * minute }, 12);
    expect(bars.map(({ part }) => part)).toEqual([7, 11]);
  });

  it("counts each operation of the time once, for who caused it", () => {
    fc.assert(
      fc.property(fc.array(operation), fc.integer({ min: 1, max: 90 }), (operations, parts) => {
        const bars = densityByActor(operations, { from: 100, to: 1_500, ...unshortened }, parts);
        for (const actor of ["agent-1", "agent-2", "agent-10", "hox"])
          expect(bars.filter((bar) => bar.actor === actor).reduce((sum, { count }) => sum + count, 0)).toBe(
            operations.filter((one) => one.actor === actor && one.time >= 100 && one.time <= 1_500).length,
          );
      }),
    );
  });

  it("puts bars upon each other without a gap, in one order", () => {
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        const bars = densityByActor(operations, { from: 0, to: 2_000, ...unshortened }, 7);
        for (let part = 0; part < 7; part++) {
          const own = bars.filter((bar) => bar.part === part);
          let below = 0;
          for (const bar of own) {
            expect(bar.below).toBe(below);
            below += bar.count;
          }
          expect(highest(bars)).toBeGreaterThanOrEqual(below);
          const order = own.map(({ actor }) => ["agent-1", "agent-2", "agent-10", "hox"].indexOf(actor));
          expect(order).toEqual(order.toSorted((one, other) => one - other));
        }
      }),
    );
  });

  it("has the last moment in the last part", () => {
    expect(densityByActor([{ time: 10, actor: "hox" }], { from: 0, to: 10, ...unshortened }, 5)).toEqual([
      { part: 4, actor: "hox", below: 0, count: 1 },
    ]);
  });
});
