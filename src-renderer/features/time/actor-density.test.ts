import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { densityByActor, highest } from "./actor-density.ts";

const operation = fc.record({
  time: fc.integer({ min: 0, max: 2_000 }),
  actor: fc.constantFrom("agent-1", "agent-2", "agent-10", "hox"),
});

describe("the density of operations", () => {
  it("counts each operation of the time once, for who caused it", () => {
    fc.assert(
      fc.property(fc.array(operation), fc.integer({ min: 1, max: 90 }), (operations, parts) => {
        const bars = densityByActor(operations, 100, 1_500, parts);
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
        const bars = densityByActor(operations, 0, 2_000, 7);
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
    expect(densityByActor([{ time: 10, actor: "hox" }], 0, 10, 5)).toEqual([
      { part: 4, actor: "hox", below: 0, count: 1 },
    ]);
  });
});
