import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSameData, shareStructure } from "./structural-sharing.ts";

const data = fc.jsonValue({ maxDepth: 4 });
const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Every part of a piece of data, itself first. */
const partsOf = (value: unknown): readonly unknown[] =>
  typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(partsOf)] : [];

function frozen<T>(value: T): T {
  for (const part of partsOf(value)) Object.freeze(part);
  return value;
}

const worker = (name: string, status: string) => ({
  name,
  status,
  mergeRequest: { stage: "open", reviews: [{ by: "a" }] },
});

describe("what a view shares with the one before", () => {
  it("is the view before where nothing changed, and otherwise says what the new one says", () => {
    fc.assert(
      fc.property(data, data, (before, next) => {
        expect(shareStructure(frozen(before), frozen(next))).toEqual(next);
        expect(shareStructure(before, copyOf(before))).toBe(before);
      }),
    );
  });

  it("keeps everything but the part that changed", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), data, { minKeys: 1 }),
        fc.nat(),
        data,
        (before, place, changed) => {
          const key = Object.keys(before)[place % Object.keys(before).length] ?? "";
          const next = frozen({ ...(copyOf(before) as object), [key]: changed });
          const shared = shareStructure(before, next) as Record<string, unknown>;
          expect(shared).toEqual(next);
          for (const other of Object.keys(before))
            if (other !== key) expect(Object.is(shared[other], before[other])).toBe(true);
        },
      ),
    );
  });

  it("keeps each named element, whatever its position", () => {
    const one = worker("agent-1", "open");
    const two = worker("agent-2", "working");
    const before = { workers: [one, two], phase: 1 };
    const after = shareStructure(before, {
      workers: [worker("agent-3", "open"), worker("agent-1", "done"), worker("agent-2", "working")],
      phase: 1,
    });
    expect(after.workers[2]).toBe(two);
    expect(after.workers[1]).toEqual({ ...one, status: "done" });
    expect(after.workers[1]?.mergeRequest).toBe(one.mergeRequest);
  });

  it("tells an absent field from one without a value", () => {
    const absent: { a: number; b?: undefined } = { a: 1 };
    expect(isSameData(absent, { a: 1, b: undefined })).toBe(false);
    expect(isSameData({ a: 1, b: undefined }, absent)).toBe(false);
    expect(isSameData({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
  });
});
