import { integratorOf } from "#shared/domain/graph-words/address.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { Interrupted } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { waitForStage } from "../../../kernel/wait-until.ts";
import type { Run } from "../../../ports.ts";
import { foldOf, requestLines } from "../../../workers/fold.ts";

/** Tasks that are delegated to a child orchestrator, which plans, works and integrates its part. */
export const delegation: Feature<Run> = {
  name: "delegation",
};

/**
 * Runs a delegated task: its orchestrator plans it, has it done and merges it (HOX-3.1); then the result
 * waits for review as an agent's would. The part's own stages are separate work (see `runtime.ts`), so after
 * a restart both resume.
 */
export async function leadDelegatedRun(run: Run, name: string, signal: AbortSignal): Promise<void> {
  const { changeId } = run.worker(name).record;
  if (run.stateOf(name).course.stage === "idle")
    run.dispatch(
      {
        kind: "StartOrchestration",
        part: true,
        limits: { repairRounds: 0, autoAdvance: run.config.loopDefaults.autoAdvance },
      },
      name,
    );
  sendBack(run, name);
  const { course } = await waitForStage(run, name, isOver, signal);
  if (run.held()) throw new Interrupted();
  if (course.stage !== "complete") {
    // Every task of the part was abandoned, so nothing of it is left to do.
    await run.repository.abandon(changeId ?? "", { actor: "hox", request: `${run.id}/${name}/abandon` });
    await run.refreshChanges();
    return;
  }
  const { summary } = run.worker(integratorOf(name)).record;
  run.append({ kind: "WorkOffered", worker: name, summary });
}

/**
 * Problems of a part's result, found by its parent, the user or the checks, are repaired by its integrator.
 * Sent once for each round.
 */
function sendBack(run: Run, name: string): void {
  const { state, round } = foldOf(run, name);
  const key = `${name}/sent-back/${round}`;
  if (state.stage !== "changes-requested" || run.journal.step(run.id, key)) return;
  // The first of these events decides whether anything is repaired; the notification is not an event.
  run.journal.together(() => {
    run.dispatch({ kind: "ValidationFailed", reasons: requestLines(run, name) }, name);
    if (!isOver(run.stateOf(name))) run.append({ kind: "WorkReset", worker: integratorOf(name) });
    run.journal.setStep(run.id, key, true);
  });
}

/** The base and the workspace of a part's orchestrator, as its parent's plan put them on the graph. */
export async function prepareDelegatedRun(run: Run, name: string): Promise<void> {
  const { base, integration } = run.orchestratorFacts(name);
  if (base === null || integration === null) throw new Error(`${name} has no base change yet.`);
  await run.step(`${name}/begun`, async () => {
    await run.repository.setMetadata(
      [base, integration].map((change) => ({ change, patch: { status: "in_progress" } })),
      { actor: name, request: `${run.id}/${name}/begun` },
    );
  });
  if (run.worker(name).record.status === "open") run.append({ kind: "WorkStarted", worker: name });
  await run.workspaces.ensure(name, base);
}
