import type { ValidationView } from "#shared/contract/views/validation.ts";
import { hasValidators } from "#shared/domain/workflow/workflow.ts";
import { explainVerdict } from "../../../../validation/validate.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { Run } from "../../../ports.ts";
import { integratorOf, rootOf, workflowIn } from "../../../workers/hierarchy.ts";
import { checkFresh } from "../../../workspaces/checks-in-checkout.ts";
import { countVotes } from "./count-votes.ts";
import { judgeResult } from "./judge-result.ts";

/** The seats judge the integrated commit; one that they do not approve is repaired, or a person is asked. */
export async function validateResult(run: Run, attempt: number, signal: AbortSignal): Promise<void> {
  const { onto } = run.facts;
  const { integration } = run.orchestratorFacts(rootOf(run));
  if (integration === null || onto === null) throw new Error("Nothing to validate.");
  if (!hasValidators(workflowIn(run, rootOf(run)))) return leaveToPerson(run, integration, signal);
  const { commitId, outcome } = await judgeResult(run, integration, onto.commitId, attempt + 1, signal);
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

/** Nobody votes: every check runs on exactly what lands, and a person looks at it there. */
async function leaveToPerson(run: Run, integration: string, signal: AbortSignal): Promise<void> {
  const { commitId } = await readChange(run, integration);
  run.append({ kind: "ValidationBegun" });
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

/** Landed against a verdict, then brought together with what came to the branch, and approved: nobody is overruled now. */
async function forgetOverruled(run: Run, integration: string): Promise<void> {
  if ((await readChange(run, integration)).metadata.overruled === undefined) return;
  await run.repository.setMetadata([{ change: integration, patch: { overruled: null } }], { actor: "hox" });
  await run.refreshChanges();
}

/** What it came to goes to the integrator, or to a person: the event decides, and the rest goes with it. */
function failVerdict(run: Run, view: ValidationView): void {
  const explained = explainVerdict(view)
    .split(/\n{2,}/u)
    .map((reason) => reason.trim())
    .filter((reason) => reason !== "");
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
      // Without a verdict nobody has said what to repair, and the result may well be good.
      asks: verdict === "rejected" || verdict === "vetoed" ? "after-repairs" : "at-once",
    });
    // What it said was done has to be repaired.
    if (run.state.course.stage === "integrating")
      run.append({ kind: "WorkReset", worker: integratorOf(rootOf(run)) });
  });
}
