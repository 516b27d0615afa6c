import { expect, test } from "vitest";
import { kindOf } from "../testing/kill-points.ts";
import { killedRun } from "../testing/killed-run.ts";

// At every single point: `npm run test:crash -- --scenario published`.
test("a host that is killed around what it writes to a forge opens nothing and says nothing twice", async () => {
  const { deaths, findings, passed } = await killedRun(
    { kind: "named", words: "forge." },
    { scenario: "published" },
  );
  expect(findings).toEqual([]);
  for (const call of ["createPullRequest", "updatePullRequest", "replyInThread", "resolveThread"])
    expect(deaths.map((point) => kindOf(point.replace(/#\d+$/u, "")))).toEqual(
      expect.arrayContaining([`forge.${call} before`, `forge.${call} after`]),
    );
  expect(Object.keys(passed)).toContain("forge.threadsOf after");
}, 900_000);
