import fc from "fast-check";
import { expect, it } from "vitest";
import { countUpTo, keptStates, risingTimes } from "./reduce.ts";

it("give the same state as reducing from the beginning, in any order of requests", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(9), { maxLength: 60 }),
      fc.array(fc.nat(70), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 9 }),
      (parts, jumps, every) => {
        const text = keptStates(parts, "", (before, part) => `${before}${part}`, every);
        for (const jump of jumps) expect(text(jump)).toBe(parts.slice(0, jump).join(""));
      },
    ),
  );
});

it("find the number of earlier parts, even if a clock went back", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 30 }), fc.integer({ min: -1, max: 21 }), (times, at) => {
      const rising = times.map((_, index) => Math.max(...times.slice(0, index + 1)));
      const count = countUpTo(risingTimes(times.map((time) => ({ at: time }))), at);
      expect(count).toBe(rising.filter((time) => time <= at).length);
    }),
  );
});
