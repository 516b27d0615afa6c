import fc from "fast-check";
import { expect, test } from "vitest";
import { patchBetween, patched } from "./patch.ts";

const data = fc.dictionary(
  fc.constantFrom("a", "b", "c", "__proto__", "set"),
  fc.letrec((tie) => ({
    value: fc.oneof(
      fc.constantFrom(null, 0, 1, "", "text", true),
      fc.array(fc.nat(2), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("x", "y", "__proto__"), tie("value"), { maxKeys: 3 }),
    ),
  })).value,
  { maxKeys: 4, noNullPrototype: true },
);
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test("a patch that crossed the wire makes the old data the new data, and equal data needs none", () => {
  fc.assert(
    fc.property(data, data, (before, after) => {
      const patch = patchBetween(before, after);
      expect(patch === null ? before : patched(before, copy(patch))).toEqual(after);
      expect(patchBetween(after, copy(after))).toBeNull();
    }),
  );
});

test("a patch names only what changed, and the rest stays the same object", () => {
  const before = { workers: { one: { state: "thinking", text: "a" }, two: { state: "done", text: "" } } };
  const patch = patchBetween(before, {
    workers: { one: { state: "thinking", text: "ab" }, two: { state: "done", text: "" } },
  });
  expect(patch).toEqual({ in: { workers: { in: { one: { set: { text: "ab" } } } } } });
  const after = patched(before, patch ?? {});
  expect(after.workers.two).toBe(before.workers.two);
  expect(before.workers.one.text).toBe("a");
});
