/** A branch that moved on while a run was going: its result is brought together with what came. */
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/known-failures.ts";
import { checksOfResult } from "../../ceremony/result.ts";
import { markMerge } from "../../graph-sync/conflict-causes.ts";
import { readChange } from "../../graph-sync/read-change.ts";
import type { Run, RunReader, RunWriter } from "../../ports.ts";
import { integratorOf, rootOf } from "../../workers/hierarchy.ts";
import { checkFresh } from "../../workspaces/checks-in-checkout.ts";
import { resultOf } from "./result.ts";

const mostTitles = 20;

/**
 * Merges what came into the integration change, where nothing else has to be rewritten for it, and checks the result
 * again. What collides, or fails now and did not before, is the integrator's task: then the run is integrating again.
 * @param tip where the branch stands
 */
export const bringOnto = (run: Run, branch: string, tip: string): Promise<void> =>
  // The person's answer may come in the moment in which the branch is seen to move.
  run.serial.run("landing", () => bring(run, branch, tip));

async function bring(run: Run, branch: string, tip: string): Promise<void> {
  if (run.state.course.stage !== "landing") return;
  const result = await resultOf(run);
  const isUnfinished = run.facts.landing.bringing === tip;
  const held = await run.repository.isAncestor(tip, result.commitId);
  if (held && !isUnfinished) return;
  const integrator = integratorOf(rootOf(run));
  run.setActivity(integrator, "checking", `${branch} moved on: the result is brought onto it`);
  const onto = run.facts.onto?.commitId;
  const news = await run.repository.changesSince(onto ?? result.commitId, tip, { limit: 500 });
  if (!held) {
    run.append({ kind: "BringingBegun", tip });
    const parents = (await run.repository.parentsOf(result.commitId)).map(({ commitId }) => commitId);
    // A parent that the branch holds by now comes with it.
    const tops = await run.repository.headsOf([tip, ...parents]);
    const others = tops.map(({ commitId }) => commitId).filter((commit) => commit !== tip);
    await run.lock.withAllExclusive(async () => {
      await run.workspaces.of(integrator)?.snapshot({ actor: integrator });
      // The branch first: whoever follows first parents sees its own history.
      await run.repository.rebase({ source: result.changeId, onto: [tip, ...others], actor: "hox" });
      await run.workspaces.of(integrator)?.updateStale({ actor: integrator });
    });
  }
  const change = await run.repository.change(tip);
  if (change)
    run.append({ kind: "GroundMoved", onto: { changeId: change.changeId, commitId: change.commitId } });
  await run.refreshChanges();
  const now = await readChange(run, result.changeId);
  const titles = news.slice(0, mostTitles).map(({ description }) => parseDescription(description).subject);
  if (now.conflict) {
    const files = await run.repository.conflictedFiles(now.commitId);
    const what = files.map(({ path }) => path).join(", ");
    await markMerge(run, [integrator]);
    return repair(run, integrator, [
      `${branch} got these commits meanwhile: ${titles.join("; ")}.`,
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
      `${branch} got these commits meanwhile: ${titles.join("; ")}.`,
      ...broken.map(
        ({ name, outcome, output }) =>
          `With them ${name} is ${outcomeText[outcome]}: ${output.slice(-2_000)}`,
      ),
    ]);
  const brought = { branch, commits: titles, commitCount: news.length, checks };
  run.append({ kind: "ResultBrought", commitId: now.commitId, brought });
}

function repair(run: RunReader & RunWriter, integrator: string, reasons: readonly string[]): void {
  run.append(
    { kind: "BringingFailed" },
    { kind: "WorkReset", worker: integrator },
    { kind: "StageMoved", orchestrator: rootOf(run), event: { kind: "TrunkMoved", reasons } },
  );
}
