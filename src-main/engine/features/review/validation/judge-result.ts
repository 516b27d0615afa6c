/** The seats of a run's result: what they are shown, and when their votes are void. */
import type { ValidationView } from "#shared/contract/views/validation.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { missingLine } from "#shared/domain/missing-work/missing-work.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { ValidationOutcome } from "../../../../validation/validation-interface.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { judgedChange, whileUnmoved } from "../../../graph-sync/while-unmoved.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { hasContracts, rootOf } from "../../../workers/hierarchy.ts";
import { missingFromResult } from "../../../workflow/missing-from-result.ts";
import { checksOfMerged, seatsOf } from "../../../workflow/run-workflow.ts";
import { evidenceOf, maxDiffLength, runPanel } from "./hold-panel.ts";
import { panelOfRun } from "./panel-of-run.ts";

/**
 * Has the seats judge a run's result as it is. Where a person edits it meanwhile their votes are void, and the seats judge
 * what it is then. (HOX-7.1)
 *
 * @param from commit that the run was built on
 */
export async function judgeResult(
  run: Run,
  integration: string,
  from: string,
  attempt: number,
  signal: AbortSignal,
): Promise<{ readonly commitId: string; readonly outcome: ValidationOutcome }> {
  for (;;) {
    const { commitId } = await readChange(run, integration);
    run.append({ kind: "ValidationBegun" });
    const { outcome, hasMoved } = await whileUnmoved(run, judgedChange(run, integration, commitId), (moved) =>
      judge(run, commitId, from, attempt, signal, moved),
    );
    const isInterrupted =
      run.runEnded.signal.aborted || (outcome.stopped !== null && outcome.stopped !== "aborted");
    // Stopped for another reason it is read anew when it goes on.
    if (isInterrupted || !(await hasMoved())) return { commitId, outcome };
    run.emit({
      kind: "notice",
      level: "info",
      text: "The result was edited during validation, so the votes are void.",
      remedy: "No action needed: validators judge it again.",
    });
  }
}

async function judge(
  run: Run,
  commit: string,
  from: string,
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
  const diff = await run.repository.diff({ commit, from, limit: maxDiffLength });
  const { seats, reason } = seatsOf(run, { diff, checks: checks.length, attempt: attempt - 1 });
  const { panel, evidence } = await panelOfRun(run, { commit, attempt, seats });
  const missing = (await missingFromResult(run, commit)).map(missingLine);
  const shown = {
    ...{ goal: run.row.input.goal, plan: planAsCarriedOut(run), diff },
    abandoned: run.state.tasks.flatMap(({ task, state }) => (state === "abandoned" ? [task] : [])),
  };
  const asSeated = (view: ValidationView): ValidationView => ({ ...view, why: reason });
  const outcome = await runPanel(
    run,
    {
      ...{ commit, attempt, panel, checks, title: "Judges the result" },
      evidence: { ...evidenceOf(run, shown), ...evidence, ...(missing.length === 0 ? {} : { missing }) },
      counted: (view) => run.append({ kind: "VotesCounted", validation: asSeated(view) }),
    },
    signal,
    moved,
  );
  return { ...outcome, view: asSeated(outcome.view) };
}

/** Contracts that nobody wrote are nothing to look for. */
function planAsCarriedOut(run: RunReader): Plan | null {
  const { plan } = run.orchestratorFacts(rootOf(run));
  return plan === null || hasContracts(run, rootOf(run))
    ? plan
    : { ...plan, contracts: { ...plan.contracts, files: [] } };
}
