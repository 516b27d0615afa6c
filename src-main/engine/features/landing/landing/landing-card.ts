import { statOf } from "#shared/domain/files/diff.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import { protection } from "../../../../tools/protected-files.ts";
import type { Card } from "../../../inbox-interface.ts";
import type { Run, RunGraph, RunReader } from "../../../ports.ts";
import { missingFromResult } from "../../../workflow/missing-from-result.ts";
import { checksOfResult } from "../../../workflow/run-workflow.ts";
import { landingOrder } from "./landing-commits.ts";
import { rangeOf, resultOf } from "./result.ts";
import { bookmarksOf, branchOf, isForLanding, obstacle } from "./target-branch.ts";

/** Characters in which lines are counted for the card; what is beyond this no card can show anyway. */
const maxDiffLength = 16_000_000;

/** Protected files that a range touches, by the names that they had as well. */
export async function protectedIn(
  run: RunReader & RunGraph,
  range: ReturnType<typeof rangeOf>,
): Promise<readonly string[]> {
  const guard = protection(run.config.protectedFiles);
  const paths = await run.repository.diffFiles({ ...range, includesOldNames: true });
  return paths.filter((path) => guard.covers(path) !== null).toSorted();
}

/** Exactly what will move, as a person is asked about it. */
export async function landCard(run: Run): Promise<Extract<Card, { kind: "land" }>> {
  const change = await resultOf(run);
  const [bookmarks, stand, suggested] = await Promise.all([
    bookmarksOf(run),
    run.repository.gitStand(),
    branchOf(run),
  ]);
  run.append({ kind: "LandingShown", shown: { commitId: change.commitId, bookmarks } });
  const range = rangeOf(run, change.commitId);
  const [files, protectedPaths, diff, order, missing] = await Promise.all([
    run.repository.diffFiles(range),
    protectedIn(run, range),
    run.repository.diff({ ...range, limit: maxDiffLength }),
    landingOrder(run, change, run.config.landing.history),
    missingFromResult(run, change.commitId),
  ]);
  const counts = new Map(statOf(diff).map((file) => [file.path, file]));
  const { branch: gone } = run.facts;
  const { brought } = run.facts.landing;
  const overruled = run.facts.validation?.overruled;
  const checks = brought?.checks ?? checksOfResult(run);
  const refused =
    suggested === null ? null : await obstacle(run, suggested, bookmarks[suggested] ?? [], change.commitId);
  return {
    kind: "land",
    changeId: change.changeId,
    commitId: change.commitId,
    // Each of them, also where the diff is too long to be counted.
    diffStat: files.map((path) => counts.get(path) ?? { path, added: 0, removed: 0 }),
    bookmarks: Object.keys(bookmarks).filter(isForLanding).sort(),
    suggested,
    protectedPaths,
    isUnchecked: checks.length === 0,
    baselineFailures: checks.filter(({ outcome }) => outcome === "known-failure").map(({ name }) => name),
    failedChecks: checks.filter(isBlocking).map(({ name }) => name),
    standsOn: stand?.isManagedByGit ? stand.branch : null,
    history: order.history,
    brought,
    validation: run.facts.validation,
    checks,
    missing,
    ...(overruled === undefined ? {} : { overruled: overruled.reason }),
    ...(gone === null || bookmarks[gone] !== undefined ? {} : { goneBranch: gone }),
    inTheWay: refused === null ? null : `${refused.message} ${refused.remedy}`,
  };
}
