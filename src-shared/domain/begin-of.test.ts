import fc from "fast-check";
import { expect, test } from "vitest";
import { beginOf } from "./begin-of.ts";

const itself = async (entry: boolean) => entry;

test("the place where something began has it, and the one before has it not", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 40 }), async (entries) => {
      const place = await beginOf(entries, itself);
      if (place === null) expect(entries.at(-1) !== true || entries[0] === true).toBe(true);
      else expect([entries[place - 1], entries[place]]).toEqual([false, true]);
    }),
  );
});

test("what is so ever since is found exactly, with few questions", async () => {
  const length = fc.integer({ min: 1, max: 300 });
  await fc.assert(
    fc.asyncProperty(length, length, async (before, since) => {
      const entries = Array.from({ length: before + since }, (_, place) => place >= before);
      let asked = 0;
      const place = await beginOf(entries, async (entry) => {
        asked += 1;
        return entry;
      });
      expect(place).toBe(before);
      expect(asked).toBeLessThanOrEqual(4 + 2 * Math.ceil(Math.log2(since + 1)));
    }),
  );
});

test("of two times it is the later one, when that is near", async () => {
  expect(await beginOf([false, true, true, true, false, true], itself)).toBe(5);
  expect(await beginOf([], itself)).toBeNull();
  expect(await beginOf([true], itself)).toBeNull();
});
