/** The attempts at one task side by side. */
import type { AttemptOnCard } from "#shared/contract/cards/attempts.ts";
import type { AttemptComparison, AttemptView } from "#shared/contract/views/attempt.ts";
import type { AttemptGroup } from "#shared/domain/attempt/attempt-events.ts";
import { cutDiff } from "#shared/domain/files/cut-diff.ts";
import { statOf } from "#shared/domain/files/diff.ts";
import { nothingSpent, totalTokens } from "#shared/domain/spending/usage.ts";
import { modelOf } from "../../../conversations/conversation-factory.ts";
import type { Run } from "../../../ports.ts";
import { attemptGroupView } from "../../../workers/attempts.ts";

/** Longer diffs are cut: a comparison is looked at, not read out. */
const maxDiffLength = 400_000;

/** As saved last; of those that were not chosen what is still known of them. */
export async function compareAttempts(
  run: Run,
  group: AttemptGroup,
  against: string | null,
): Promise<AttemptComparison> {
  const view = attemptGroupView(run, group);
  const from = group.attempts.some(({ worker }) => worker === against) ? await commitOf(run, against) : null;
  return {
    group: view,
    attempts: await Promise.all(
      group.attempts.map(({ worker, origin }, at) =>
        attemptView(run, worker, { nth: at + 1, origin, isOut: view.attempts[at]?.isOut ?? false }, from),
      ),
    ),
  };
}

async function commitOf(run: Run, worker: string | null): Promise<string | null> {
  const { changeId = null } = run.workers.get(worker ?? "")?.record ?? {};
  return changeId === null ? null : ((await run.repository.change(changeId))?.commitId ?? null);
}

async function attemptView(
  run: Run,
  name: string,
  place: Pick<AttemptView, "nth" | "origin" | "isOut">,
  from: string | null,
): Promise<AttemptView> {
  const worker = run.worker(name);
  const { record } = worker;
  const commit = await commitOf(run, name);
  const diff =
    commit === null || commit === from
      ? ""
      : await run.repository.diff({ commit, limit: maxDiffLength, ...(from === null ? {} : { from }) });
  const shown = cutDiff(diff, maxDiffLength);
  const { usage, microDollars } = run.spending.byWorker.get(name) ?? nothingSpent;
  return {
    worker: name,
    ...place,
    model: modelOf(run, name),
    status: record.status,
    activity: worker.activity,
    iteration: record.iteration,
    summary: record.summary,
    diff: shown.diff,
    isDiffCut: shown.isCut,
    checks: record.checks,
    reviews: record.fold?.reviews ?? [],
    microDollars,
    tokens: totalTokens(usage),
    ms: Object.values(run.metrics.of(name).msByPhase).reduce((sum, ms) => sum + ms, 0),
  };
}

/** The same for the card, as it stands now. */
export async function attemptsOnCard(run: Run, group: AttemptGroup): Promise<readonly AttemptOnCard[]> {
  const { attempts } = await compareAttempts(run, group, null);
  return attempts
    .filter(({ isOut }) => !isOut)
    .map(({ worker, nth, model, summary, diff, checks, iteration, microDollars, ms }) => ({
      worker,
      nth,
      model,
      summary,
      files: statOf(diff),
      checks,
      iterations: iteration,
      microDollars,
      ms,
      isStuck: run.worker(worker).record.blocked !== null,
    }));
}
