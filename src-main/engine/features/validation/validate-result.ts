import { rootOrchestrator } from "#shared/domain/graph-words/address.ts";
import { explainVerdict } from "../../../validation/validate.ts";
import { Interrupted } from "../../engine-errors.ts";
import type { Run } from "../../ports.ts";
import { integratorOf } from "../../workers/hierarchy.ts";
import { countVotes } from "./count-votes.ts";
import { judgeResult } from "./judge-result.ts";

/** The seats judge the integrated commit; what they do not settle among themselves, a person does. */
export async function validateResult(run: Run, attempt: number, signal: AbortSignal): Promise<void> {
  const { onto } = run.facts;
  const { integration } = run.orchestratorFacts(rootOrchestrator);
  if (integration === null || onto === null) throw new Error("There is nothing to validate.");
  const { commitId, outcome } = await judgeResult(run, integration, onto.commitId, attempt + 1, signal);
  if (outcome.stopped === "budget") run.dispatch({ kind: "BudgetExhausted" });
  if (outcome.stopped !== null) throw new Interrupted();

  let { verdict } = outcome.view;
  if (verdict === "undecided" || verdict === "open") {
    const decision = await run.inbox.ask(
      `${run.id}/votes/${attempt}/${commitId.slice(0, 12)}`,
      () => ({ kind: "votes", validation: outcome.view }),
      run.runEnded.signal,
    );
    verdict = decision.kind === "approve" ? "approved" : "rejected";
    run.append({ kind: "VotesCounted", validation: { ...outcome.view, verdict } });
  }
  const passed = verdict === "approved";
  await run.step(`voted/${attempt}/${commitId}`, async () => {
    await countVotes(run, outcome.view.seats);
    run.append({ kind: "MetricsMeasured", metrics: run.metrics.all() });
  });
  if (passed) {
    // What was judged is kept, so that nothing else can land.
    run.append(
      { kind: "ResultValidated", commitId },
      { kind: "StageMoved", orchestrator: rootOrchestrator, event: { kind: "ValidationPassed" } },
    );
  } else {
    const reasons = explainVerdict(outcome.view)
      .split(/\n{2,}/u)
      .map((reason) => reason.trim())
      .filter((reason) => reason !== "");
    // Whether anything is repaired, the first of these events decides.
    run.journal.together(() => {
      run.dispatch({
        kind: "ValidationFailed",
        reasons: reasons.length > 0 ? reasons : ["A person rejected the result."],
      });
      // What it said was done has to be repaired.
      if (run.state.course.stage === "integrating")
        run.append({ kind: "WorkReset", worker: integratorOf(rootOrchestrator) });
    });
  }
}
