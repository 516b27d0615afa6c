import { integratorOf } from "#shared/domain/change-metadata/address.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { type OwnWork, votesOnOwnWork } from "#shared/domain/metrics/own-votes.ts";
import { missingLine } from "#shared/domain/missing-work/missing-work.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import type { SeatView, ValidationView } from "#shared/domain/validation/panel.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { reassignedTo, type WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import { hasValidators } from "#shared/domain/workflow/workflow.ts";
import { verdictReasons } from "../../../../validation/validate.ts";
import type { ValidationOutcome } from "../../../../validation/validation-interface.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { judgedChange, whileUnmoved } from "../../../graph-sync/while-unmoved.ts";
import { inform } from "../../../kernel/notify.ts";
import type { Run } from "../../../ports.ts";
import { rootOf, workflowIn } from "../../../workers/hierarchy.ts";
import { missingFromResult } from "../../../workflow/missing-from-result.ts";
import { checksOfMerged } from "../../../workflow/run-workflow.ts";
import { checkFresh } from "../../../workspaces/check-options.ts";
import { judgeByPanel } from "./panel-of-run.ts";

/** The seats judge the integrated commit; if they do not approve it, it is repaired or the user is asked. */
export async function validateResult(run: Run, attempt: number, signal: AbortSignal): Promise<void> {
  const { onto } = run.facts;
  const { integration } = run.orchestratorFacts(rootOf(run));
  if (integration === null || onto === null) throw new Error("Nothing to validate.");
  if (!hasValidators(workflowIn(run, rootOf(run)))) return leaveToUser(run, integration, signal);
  const { commitId, outcome } = await judgeResult(run, integration, attempt + 1, signal);
  if (outcome.stopped === "budget") run.dispatch({ kind: "BudgetExhausted" });
  if (outcome.stopped !== null) throw new Interrupted();

  const { view } = outcome;
  await run.step(`voted/${attempt}/${commitId}`, async () => {
    await countVotes(run, view.seats);
    run.append({ kind: "MetricsMeasured", metrics: run.metrics.all() });
  });
  if (view.verdict !== "approved") return failVerdict(run, view);
  await forgetOverruled(run, integration);
  // What was judged is kept, so that nothing else can land.
  run.append(
    { kind: "ResultValidated", commitId },
    { kind: "StageMoved", orchestrator: rootOf(run), event: { kind: "ValidationPassed" } },
  );
}

/**
 * Has the seats judge a run's current result. If the user edits it meanwhile, their votes are void, and they
 * judge the new version. (HOX-7.1)
 */
async function judgeResult(
  run: Run,
  integration: string,
  attempt: number,
  signal: AbortSignal,
): Promise<{ readonly commitId: string; readonly outcome: ValidationOutcome }> {
  for (;;) {
    const { commitId } = await readChange(run, integration);
    run.append({ kind: "ValidationStarted" });
    const { outcome, hasMoved } = await whileUnmoved(run, judgedChange(run, integration, commitId), (moved) =>
      judge(run, commitId, attempt, signal, moved),
    );
    const isInterrupted =
      run.runEnded.signal.aborted || (outcome.stopped !== null && outcome.stopped !== "aborted");
    // Stopped for another reason, it is read again on resume.
    if (isInterrupted || !(await hasMoved())) return { commitId, outcome };
    inform(
      run,
      "The result was edited during validation, so the votes are void.",
      "No action needed: validators judge it again.",
    );
  }
}

async function judge(
  run: Run,
  commit: string,
  attempt: number,
  signal: AbortSignal,
  moved: AbortSignal,
): Promise<ValidationOutcome> {
  const before = run.facts.validation;
  // What ran on exactly this commit says the same again.
  const checks: readonly CheckResult[] =
    before && before.commitId === commit && before.attempt === attempt
      ? before.checks
      : checksOfMerged(run, commit);
  const missing = (await missingFromResult(run, commit)).map(missingLine);
  return judgeByPanel(
    run,
    {
      ...{ commit, attempt, checks, missing, title: "Judges the result" },
      ...{ goal: run.row.input.goal, orchestrator: rootOf(run) },
      counted: (validation) => run.append({ kind: "VotesCounted", validation }),
    },
    signal,
    moved,
  );
}

/** Counts votes on the result for those whose work they are about; whose files they name is asked where one rejects. */
async function countVotes(run: Run, seats: readonly SeatView[]): Promise<void> {
  const votes = seats
    .filter(({ counted, vote }) => counted && (vote === "approve" || vote === "reject"))
    .map(({ vote, reason }) => ({ approves: vote === "approve", reason }));
  const isRejected = votes.some(({ approves }) => !approves);
  const makers = [...run.workers.values()]
    .map(({ record }) => record)
    .filter(
      (record) =>
        roles[record.role].hasIterations && record.status !== "abandoned" && reassignedTo(record) === null,
    );
  const work = await Promise.all(makers.map((record) => ownWork(run, record, isRejected)));
  for (const { worker, passed, failed } of votesOnOwnWork(votes, work)) {
    for (let nth = 0; nth < passed; nth++) run.metrics.vote(worker, true);
    for (let nth = 0; nth < failed; nth++) run.metrics.vote(worker, false);
  }
}

async function ownWork(
  run: Run,
  { name, role, title, changeId, checks }: WorkerRecord,
  withFiles: boolean,
): Promise<OwnWork> {
  const commit = changeId === null ? undefined : run.changes.get(changeId)?.commitId;
  const isWhole = roles[role].canIntegrate;
  const files =
    withFiles && commit !== undefined && !isWhole ? await run.repository.changedPaths(commit) : [];
  return {
    worker: name,
    isWhole,
    title,
    changeId,
    files,
    faults: [
      ...checks.filter(isBlocking).flatMap((check) => [check.name, check.command]),
      ...run.facts.decisions
        .filter(({ contradicted }) => contradicted.includes(name))
        .map((one) => one.title),
    ],
  };
}

/** Without a panel every check runs on exactly what lands, and the user looks at it there. */
async function leaveToUser(run: Run, integration: string, signal: AbortSignal): Promise<void> {
  const { commitId } = await readChange(run, integration);
  run.append({ kind: "ValidationStarted" });
  if (run.orchestratorFacts(rootOf(run)).merged?.commitId !== commitId) {
    const checks = await checkFresh(run, integratorOf(rootOf(run)), commitId, signal);
    run.append({ kind: "MergedChecked", orchestrator: rootOf(run), merged: { commitId, checks } });
  }
  if (signal.aborted) throw new Interrupted();
  run.append(
    { kind: "ResultValidated", commitId },
    { kind: "StageMoved", orchestrator: rootOf(run), event: { kind: "ValidationPassed" } },
  );
}

/**
 * After landing against a verdict, the result was merged with new commits of the branch and approved, so
 * nothing is overridden any more.
 */
async function forgetOverruled(run: Run, integration: string): Promise<void> {
  if ((await readChange(run, integration)).metadata.overruled === undefined) return;
  await run.repository.setMetadata([{ change: integration, patch: { overruled: null } }], { actor: "hox" });
  await run.refreshChanges();
}

/** The verdict goes to the integrator, or to the user: the event decides, and the rest follows. */
function failVerdict(run: Run, view: ValidationView): void {
  const explained = verdictReasons(view);
  const reasons = explained.length > 0 ? explained : ["The validators reached no verdict."];
  const { attempt, verdict } = view;
  run.journal.together(() => {
    run.append(
      { kind: "VotesCounted", validation: view },
      { kind: "VerdictFailed", attempt, verdict, reasons },
    );
    run.dispatch({
      kind: "ValidationFailed",
      reasons,
      // Without a verdict there are no reasons to repair, and the result may be good.
      asks: verdict === "rejected" || verdict === "vetoed" ? "after-repairs" : "at-once",
    });
    // Work reported as done has to be repaired.
    if (run.state.current.stage === "integrating")
      run.append({ kind: "WorkReset", worker: integratorOf(rootOf(run)) });
  });
}
