import { expect, test } from "vitest";
import type { Change } from "#shared/graph/change.ts";
import type { Run } from "../ports.ts";
import { plainRun } from "../testing/plain-run.ts";
import { refreshChanges } from "./refresh-changes.ts";

/** A run whose looks at the graph are answered when the test says so, the first begun first in the list. */
function slowRun() {
  const answers: ((conflict: boolean) => void)[] = [];
  const run = {
    ...plainRun([]),
    radar: { look: () => undefined },
    repository: {
      changesOfRun: () =>
        new Promise<readonly Change[]>((resolve) => {
          answers.push((conflict) => resolve([{ changeId: "k", conflict, divergent: false } as Change]));
        }),
    },
  } as unknown as Run;
  return { run, answers };
}

test("an older read of the graph that ends later does not override a newer one", async () => {
  const { run, answers } = slowRun();
  const [early, late] = [refreshChanges(run, []), refreshChanges(run, [])];
  answers[1]?.(true);
  await late;
  expect(run.changes.get("k")?.conflict).toBe(true);
  answers[0]?.(false);
  await early;
  expect(run.changes.get("k")?.conflict).toBe(true);
  const next = refreshChanges(run, []);
  answers[2]?.(false);
  await next;
  expect(run.changes.get("k")?.conflict).toBe(false);
});
