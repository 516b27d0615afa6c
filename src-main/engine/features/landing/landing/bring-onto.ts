/** A branch that moved on while a run was going: its result is brought together with what came. */

import { integratorOf } from "#shared/domain/change-metadata/address.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import type { BroughtCommits } from "#shared/domain/landing/landing-events.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/preflight.ts";
import type { Change } from "#shared/graph/change.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { checksOfResult } from "../../../workflow/run-workflow.ts";
import { checkFresh } from "../../../workspaces/check-options.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";
import { markMerge } from "../../decisions/conflicts/conflict-causes.ts";

const maxTitles = 20;

/**
 * Merges the branch's new commits into the integration change, without rewriting anything else, and checks
 * the result again. Conflicts and new failures are the integrator's task: then the run is integrating again.
 * @param tip the branch's commit
 */
export const bringOnto = (run: Run, branch: string, tip: string): Promise<void> =>
  // The user's answer may come at the moment in which the branch is seen to move.
  run.serial.run("landing", () => bring(run, branch, tip));

async function bring(run: Run, branch: string, tip: string): Promise<void> {
  if (run.state.current.stage !== "landing") return;
  const result = await resultOf(run);
  const isUnfinished = run.facts.landing.bringing === tip;
  const left = await leftCommits(run, tip);
  const held = left.length === 0 && (await run.repository.isAncestor(tip, result.commitId));
  if (held && !isUnfinished && !(await isBaseAmended(run, tip))) return;
  const integrator = integratorOf(rootOf(run));
  run.setActivity(integrator, "checking", `${branch} moved: updating the result`);
  const onto = run.facts.onto?.commitId;
  const updates = await run.repository.changesSince(onto ?? result.commitId, tip, { limit: 500 });
  run.append({ kind: "BringingStarted", tip });
  if (!held) {
    await run.lock.withAllExclusive(() =>
      left.length > 0 ? moveRun(run, result, tip) : mergeBranch(run, result, tip),
    );
  }
  const change = await run.repository.change(tip);
  if (change)
    run.append({
      kind: "BaseMoved",
      onto: { changeId: change.changeId, commitId: change.commitId, isOnBranch: true },
    });
  await checkBrought(run, branch, result.changeId, { updates, left });
}

/**
 * Puts what others pushed to a branch of a pull request below the result, and checks it again.
 * @param from the commit that they built on, which only copies what the run did
 * @param tip the branch's commit
 */
export const bringPushed = (run: Run, branch: string, from: string, tip: string): Promise<void> =>
  run.serial.run("landing", async () => {
    if (run.state.current.stage !== "landing") return;
    const result = await resultOf(run);
    run.setActivity(integratorOf(rootOf(run)), "checking", `${branch} moved: updating the result`);
    const updates = await run.repository.changesSince(from, tip, { limit: 500 });
    run.append({ kind: "BringingStarted", tip });
    const parents = await run.repository.parentsOf(result.changeId);
    await run.lock.withAllExclusive(async () => {
      const theirs = await copyPushed(run, { from, tip, onto: parents.map(({ commitId }) => commitId) });
      await ontoParents(run, result, [theirs]);
    });
    await checkBrought(run, branch, result.changeId, { updates, left: [] });
  });

/**
 * Copies what others pushed: each of their commits, or where merges are among them one for all.
 * @returns the commit of the last copy
 */
export async function copyPushed(
  run: Run,
  { from, tip, onto }: { readonly from: string; readonly tip: string; readonly onto: readonly string[] },
): Promise<string> {
  const { repository } = run;
  const copy = async (commit: string, parents: readonly string[], description: string): Promise<string> =>
    (await repository.duplicate({ commit, parents, description, actor: "hox" })).commitId;
  const commits = (await repository.changesSince(from, tip, { limit: maxTitles })).toReversed();
  const below = await Promise.all(commits.map(({ commitId }) => repository.parentsOf(commitId)));
  const isSeries =
    commits.length < maxTitles &&
    below.every((parents, at) => {
      const [parent, ...others] = parents.map(({ commitId }) => commitId);
      return others.length === 0 && parent === (commits[at - 1]?.commitId ?? from);
    });
  if (isSeries) {
    let parents = onto;
    for (const { commitId, description } of commits) parents = [await copy(commitId, parents, description)];
    return parents[0] ?? tip;
  }
  const description = "Take what others pushed\n";
  const { commitId: whole } = await repository.landingSeries(
    { ...{ kind: "copies", result: tip, onto: from, commits: [] }, rest: () => description },
    { actor: "hox" },
  );
  const made = await copy(whole, onto, description);
  await repository.abandon([whole], { actor: "hox" });
  return made;
}

interface Brought {
  readonly updates: readonly Change[];
  readonly left: NonNullable<BroughtCommits["left"]>;
}

/** The result with what came: conflicts and new failures are the integrator's task. */
async function checkBrought(
  run: Run,
  branch: string,
  result: string,
  { updates, left }: Brought,
): Promise<void> {
  const integrator = integratorOf(rootOf(run));
  await run.refreshChanges();
  const now = await readChange(run, result);
  const titles = updates.slice(0, maxTitles).map(({ description }) => parseDescription(description).subject);
  const meanwhile = [
    ...(titles.length > 0 ? [`${branch} got these commits meanwhile: ${titles.join("; ")}.`] : []),
    ...(left.length > 0
      ? [
          `These commits were removed from ${branch}, and the work no longer includes them: ${left.map(({ title }) => title).join("; ")}.`,
        ]
      : []),
  ];
  if (now.conflict) {
    const files = await run.repository.conflictedFiles(now.commitId);
    const what = files.map(({ path }) => path).join(", ");
    await markMerge(run, [integrator]);
    return repair(run, integrator, [
      ...meanwhile,
      `With them these files are in conflict: ${what}. Keep what both sides are for.`,
    ]);
  }
  const checks = await checkFresh(run, integrator, now.commitId, run.runEnded.signal);
  // Also one that was red for what failed before the run began, and is red for more now.
  const sound = new Set(
    checksOfResult(run)
      .filter((check) => !isBlocking(check))
      .map(({ name }) => name),
  );
  const broken = checks.filter((check) => isBlocking(check) && sound.has(check.name));
  run.setActivity(integrator, "done", "");
  if (broken.length > 0)
    return repair(run, integrator, [
      ...meanwhile,
      ...broken.map(
        ({ name, outcome, output }) =>
          `With them ${name} is ${outcomeText[outcome]}: ${output.slice(-2_000)}`,
      ),
    ]);
  const brought = {
    branch,
    commits: titles,
    commitCount: updates.length,
    checks,
    ...(left.length > 0 ? { left } : {}),
  };
  run.append({ kind: "ResultBrought", commitId: now.commitId, brought });
}

/** The integration change, with the very files that were judged. */
export async function resultOf(run: Run): Promise<Change> {
  const { integration } = run.orchestratorFacts(rootOf(run));
  if (integration === null) throw new Error("No integration change.");
  const change = await readChange(run, integration);
  const { judged, bringing } = run.facts.landing;
  // The description got its metrics since; the files may not have changed by a byte.
  if (judged !== null && judged !== change.commitId && bringing === null)
    if (!(await run.repository.hasSameFiles(change.commitId, judged)))
      throw new EngineRefusal(
        "The integration change was edited after validation.",
        "Revert the edit (`jj undo`, or `jj restore` in it), or land the change yourself as it is.",
      );
  return change;
}

/** The commits to land: from the run's base to its result. */
export const rangeOf = (run: RunReader, result: string) => ({
  commit: result,
  ...(run.facts.onto === null ? {} : { from: run.facts.onto.commitId }),
});

/**
 * Whether a jj command has rewritten the commit that the run is built on, and all of the run's work with it: then the branch
 * holds it as it is now.
 */
async function isBaseAmended(run: Run, tip: string): Promise<boolean> {
  const { onto } = run.facts;
  const { base } = run.orchestratorFacts(rootOf(run));
  if (onto?.isOnBranch !== true || base === null) return false;
  // As it was before it may still be there, where Git has not heard of it.
  const [now, ...others] = (await run.repository.changesOf([onto.changeId])).filter(
    ({ commitId }) => commitId !== onto.commitId,
  );
  if (now === undefined || others.length > 0) return false;
  const { commitId } = now;
  return (await run.repository.isAncestor(commitId, tip)) && run.repository.isAncestor(commitId, base);
}

/** Before the result is looked at: with an amended base it holds other files than were judged, and is checked again. */
export async function noticeAmendedBase(run: Run, tip: string): Promise<void> {
  if (await isBaseAmended(run, tip)) run.append({ kind: "BringingStarted", tip });
}

/**
 * Commits that the run was built on and that are no longer on its branch: amended, dropped, or pushed over. What never was
 * on it, because the user chose another base, is none of these.
 */
async function leftCommits(run: Run, tip: string): Promise<NonNullable<BroughtCommits["left"]>> {
  const { onto } = run.facts;
  if (onto?.isOnBranch !== true || (await run.repository.isAncestor(onto.commitId, tip))) return [];
  if (await isBaseAmended(run, tip)) return [];
  const left = await run.repository.changesSince(tip, onto.commitId, { limit: maxTitles });
  return left.map(({ commitId, description }) => ({
    commitId,
    title: parseDescription(description).subject,
  }));
}

/** Merges what came into the result. */
async function mergeBranch(run: Run, result: Change, tip: string): Promise<void> {
  const parents = (await run.repository.parentsOf(result.commitId)).map(({ commitId }) => commitId);
  // A parent that the branch holds by now comes with it.
  const tops = await run.repository.headsOf([tip, ...parents]);
  const others = tops.map(({ commitId }) => commitId).filter((commit) => commit !== tip);
  // The branch first, so that its first-parent history stays intact.
  await ontoParents(run, result, [tip, ...others]);
}

async function ontoParents(run: Run, result: Change, onto: readonly string[]): Promise<void> {
  const integrator = integratorOf(rootOf(run));
  await run.workspaces.of(integrator)?.snapshot({ actor: integrator });
  await run.repository.rebase({ source: result.changeId, onto: [...onto], actor: "hox" });
  await run.workspaces.of(integrator)?.updateStale({ actor: integrator });
}

/** Puts all of the run's work onto the branch as it is now, so that what left the branch does not come back with it. */
async function moveRun(run: Run, result: Change, tip: string): Promise<void> {
  const { base } = run.orchestratorFacts(rootOf(run));
  if (base === null) throw new Error("No base change.");
  await rewriteBeneath(run, { what: null }, async () => {
    const stands = await run.repository.parentsOf(base);
    if (stands.map(({ commitId }) => commitId).join() !== tip)
      await run.repository.rebase({ source: base, onto: [tip], actor: "hox" });
    // An earlier tip of the branch is a separate parent, and may have left the branch since.
    const parents = (await run.repository.parentsOf(result.changeId)).map(({ commitId }) => commitId);
    const own: string[] = [];
    for (const commit of parents) if (await run.repository.isAncestor(base, commit)) own.push(commit);
    if (own.length > 0 && own.length < parents.length)
      await run.repository.rebase({ source: result.changeId, onto: own, actor: "hox" });
  });
}

function repair(run: Run, integrator: string, reasons: readonly string[]): void {
  run.append(
    { kind: "BringingFailed" },
    { kind: "WorkReset", worker: integrator },
    { kind: "StageMoved", orchestrator: rootOf(run), event: { kind: "TrunkMoved", reasons } },
  );
}
