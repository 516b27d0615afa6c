import fc from "fast-check";
import { expect, test } from "vitest";
import { beginOf, type Step } from "./first-operation-where.ts";

/** A log, newest first: each operation stands on one or two older ones. */
const log = fc
  .array(fc.tuple(fc.boolean(), fc.nat(), fc.nat(), fc.boolean()), { minLength: 1, maxLength: 24 })
  .map((drawn) => {
    const steps = drawn.map(([, one, other, merged], place): Step => {
      const parents = place === 0 ? [] : [...new Set([one % place, ...(merged ? [other % place] : [])])];
      return { id: String(place), parents: parents.map(String) };
    });
    return {
      steps: steps.toReversed(),
      having: new Set(steps.filter((_, at) => drawn[at]?.[0]).map(({ id }) => id)),
    };
  });

test("the result has the condition, none of its parents has, and no newer one like it exists", async () => {
  await fc.assert(
    fc.asyncProperty(log, async ({ steps, having }) => {
      const asked: string[] = [];
      const found = await beginOf(steps, async (id) => {
        asked.push(id);
        return having.has(id);
      });
      const first = steps.find(
        ({ id, parents }) => having.has(id) && !parents.some((one) => having.has(one)),
      );
      expect(found).toEqual(first ?? null);
      expect(new Set(asked).size).toBe(asked.length);
    }),
  );
});

test("a concurrent operation hides nothing", async () => {
  const steps = [
    { id: "snapshot", parents: ["before"] },
    { id: "rebase", parents: ["before"] },
    { id: "before", parents: [] },
  ];
  expect((await beginOf(steps, async (id) => id === "rebase"))?.id).toBe("rebase");
});
