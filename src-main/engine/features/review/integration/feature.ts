import { integratorOf } from "#shared/domain/change-metadata/address.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { describeChange } from "#shared/domain/plan/task-texts.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import { promptLine, quoteText } from "#shared/domain/text/prompt-text.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import { settleBeforeOffer, workUntilDone } from "../../../agents/agent.ts";
import { EngineRefusal, Interrupted } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { rootOf, scoped, workerOnTask } from "../../../workers/hierarchy.ts";
import { leftAfterMerge } from "../../../workflow/run-workflow.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";
import { markMerge } from "../../decisions/conflicts/conflict-causes.ts";
import { reopenContradicting } from "../../decisions/decisions/compliance.ts";

/** Finished tasks come together in one change without a conflict. */
export const integration: Feature<Run> = {
  name: "integration",
  stageActions: {
    CreateMerge: {
      title: "The integration change could not be created",
      async perform(run, { orchestrator }, signal) {
        await requireSandbox(run);
        await createMerge(run, orchestrator, signal);
      },
    },
    ResolveConflicts: {
      title: "The integration is stuck",
      async perform(run, { orchestrator, action }, signal) {
        await requireSandbox(run);
        await integrate(run, orchestrator, action.attempt, signal);
      },
    },
  },
};

/**
 * One change on top of all of an orchestrator's finished tasks: a separate one for the root, the delegated
 * task's for others. Created once; after a task was reworked it is rebased onto the new version.
 */
async function createMerge(run: Run, orchestrator: string, signal: AbortSignal): Promise<void> {
  const integrator = integratorOf(orchestrator);
  run.addWorker({ name: integrator, role: "integrator", parent: orchestrator, title: "Integrates" });
  await run.refreshChanges();
  const finished = finishedTasks(run, orchestrator);
  const names = finished.map(({ name }) => name);
  // Agents that contradict a decision rework it first; this runs again when they are done.
  if (await reopenContradicting(run, names, orchestrator)) return;
  const { changeId, commitId, conflict } = await mergeOnto(run, orchestrator, finished);
  const files = conflict ? await run.repository.conflictedFiles(commitId) : [];
  run.append(
    { kind: "ChangeAssigned", worker: integrator, changeId },
    { kind: "WorkReset", worker: integrator },
    ...(conflict ? [] : [{ kind: "MergeConflictResolved", worker: integrator } as const]),
  );
  if (conflict) {
    await markMerge(run, [integrator]);
    run.dispatch({ kind: "IntegrationConflict", files: files.map(({ path }) => path) }, orchestrator);
    return;
  }
  const { reason, checks } = await leftAfterMerge(run, orchestrator, {
    worker: integrator,
    commitId,
    signal,
  });
  if (signal.aborted) throw new Interrupted();
  if (reason !== null) {
    run.appendTranscript(integrator, { kind: "notice", text: reason });
    run.append(
      { kind: "ChecksRun", worker: integrator, checks },
      { kind: "StageMoved", orchestrator, event: { kind: "IntegrationReady" } },
    );
    return;
  }
  const words = nothingLeft(checks);
  run.appendTranscript(integrator, { kind: "notice", text: words });
  run.append(
    { kind: "WorkFinished", worker: integrator, checks, summary: summaryWithout(finished, words) },
    { kind: "StageMoved", orchestrator, event: { kind: "IntegrationUnneeded", reason: words } },
  );
  run.setActivity(integrator, "done", "");
}

const finishedTasks = (run: RunReader, orchestrator: string): readonly WorkerRecord[] =>
  run
    .stateOf(orchestrator)
    .tasks.filter((task) => task.state === "done")
    .flatMap(({ task }) => workerOnTask(run, orchestrator, task) ?? []);

/** The merge change, on top of all of them. */
async function mergeOnto(
  run: Run,
  orchestrator: string,
  finished: readonly Pick<WorkerRecord, "changeId">[],
): Promise<Change> {
  const heads = await run.repository.headsOf(finished.flatMap(({ changeId }) => changeId ?? []));
  if (heads.length === 0)
    throw new EngineRefusal("No finished task is in the graph.", "Restore one with `jj undo`, then retry.");
  const made =
    orchestrator === rootOf(run)
      ? [...run.changes.values()].find(({ metadata }) => metadata.kind === "integration")
      : run.changes.get(run.orchestratorFacts(orchestrator).integration ?? "");
  if (made) {
    run.append({ kind: "IntegrationCreated", orchestrator, changeId: made.changeId });
    await restack(run, orchestrator, made, heads);
  } else if (orchestrator === rootOf(run)) await makeIntegration(run, orchestrator, heads);
  else
    throw new EngineRefusal(
      `The task delegated to ${orchestrator} is no longer in the graph.`,
      "Restore it with `jj undo` or `jj op restore`, then retry.",
    );
  await run.refreshChanges();
  const { integration } = run.orchestratorFacts(orchestrator);
  const merged = integration === null ? undefined : run.changes.get(integration);
  if (merged) return merged;
  throw new EngineRefusal(
    `The integration change of ${orchestrator} is no longer in the graph.`,
    "Restore it with `jj undo` or `jj op restore`, then retry.",
  );
}

async function makeIntegration(run: Run, orchestrator: string, parents: readonly Change[]): Promise<void> {
  const { title = "Integrate", description = "" } =
    run.orchestratorFacts(orchestrator).plan?.integration ?? {};
  const { changeId } = await run.repository.newChange({
    parents: parents.map((change) => change.changeId),
    description: describeChange(title, description, {
      kind: "integration",
      status: "open",
      run: run.id,
      orchestrator,
      agent: integratorOf(orchestrator),
    }),
    actor: orchestrator,
    request: `${run.id}/${scoped(orchestrator, "integration")}`,
  });
  run.append({ kind: "IntegrationCreated", orchestrator, changeId });
}

/** Rebases earlier work onto the tasks' new results. */
async function restack(
  run: Run,
  orchestrator: string,
  made: Change,
  heads: readonly Change[],
): Promise<void> {
  const now = new Set(made.parents);
  if (heads.length === now.size && heads.every((head) => now.has(head.commitId))) return;
  const integrator = integratorOf(orchestrator);
  await run.workspaces.of(integrator)?.snapshot({ actor: integrator });
  await run.repository.rebase({
    source: made.changeId,
    onto: heads.map((change) => change.changeId),
    actor: orchestrator,
  });
  await run.workspaces.of(integrator)?.updateStale({ actor: integrator });
}

/** Why no integrator is asked. What belongs to a part is checked later, as its merge request. */
function nothingLeft(checks: readonly CheckResult[]): string {
  const failed = checks.filter(isBlocking).map(({ name }) => name);
  return failed.length > 0
    ? `No integrator was wanted, and nothing is in conflict. On the result fails: ${failed.join(", ")}.`
    : `Bringing the tasks together left nothing to do: no conflict${checks.length > 0 ? ", every check passes" : ""}, and no name of one was touched by another.`;
}

/** The summary of a result without an integrator, from its agents' summaries. */
const summaryWithout = (
  finished: readonly { readonly title: string; readonly summary: string }[],
  words: string,
) =>
  finished.length === 1
    ? (finished[0]?.summary ?? words)
    : [words, ...finished.map(({ title, summary }) => `- ${title}: ${summary}`)].join("\n");

/** The integrator brings the tasks together, or repairs what validators found; it ends with no conflict. */
async function integrate(
  run: Run,
  orchestrator: string,
  attempt: number,
  signal: AbortSignal,
): Promise<void> {
  const { integration, plan } = run.orchestratorFacts(orchestrator);
  const integrator = integratorOf(orchestrator);
  if (integration === null) throw new Error("No integration change.");
  await workUntilDone(run, {
    worker: integrator,
    changeId: integration,
    signal,
    promptFile: "integrator",
    finishedAs: "done",
    heading: promptLine`[INTEGRATE] ${plan?.integration?.title ?? "Integrate"}`,
    description: () => [
      quoteText(plan?.integration?.description ?? ""),
      promptLine``,
      promptLine`Tasks that come together here:`,
      ...[...run.workers.values()]
        .filter(
          ({ record }) =>
            record.parent === orchestrator && record.task !== null && record.status !== "abandoned",
        )
        .map(({ record }) => promptLine`- ${record.title} (${record.name}): ${record.summary}`),
      ...(attempt === 0
        ? []
        : [
            promptLine``,
            orchestrator === rootOf(run)
              ? run.facts.landing.isReturned
                ? promptLine`The user returned the result before it landed, because work of tasks is missing from it. Bring it back, with its tests, and delete again what they deleted:`
                : run.facts.landing.hasTrunkMoved
                  ? promptLine`The result was approved, and then the branch that it lands on moved on. Bring both together:`
                  : run.facts.validation?.verdict === "undecided"
                    ? promptLine`The validators reached no verdict on the result. Fix what they name:`
                    : promptLine`Validators rejected the result. Repair what they name:`
              : promptLine`The result was sent back. Repair what is named:`,
            ...run.stateOf(orchestrator).complaints.map((one) => promptLine`- ${one}`),
          ]),
    ],
  });
  if (signal.aborted) throw new Interrupted();
  await settleBeforeOffer(run, { worker: integrator, changeId: integration }, signal);
  const change = await readChange(run, integration);
  if (change.conflict) {
    // A rewrite below caused a conflict after it was done, so its report does not count.
    const files = await run.repository.conflictedFiles(change.commitId);
    run.append({ kind: "WorkReopened", worker: integrator });
    await markMerge(run, [integrator]);
    run.dispatch({ kind: "IntegrationConflict", files: files.map(({ path }) => path) }, orchestrator);
    return;
  }
  await run.refreshChanges();
  // Undone in the moment in which it was finished: it is worked on again.
  if (run.worker(integrator).record.status !== "done") return integrate(run, orchestrator, attempt, signal);
  const { summary } = run.worker(integrator).record;
  run.append(
    ...(orchestrator === rootOf(run) && attempt > 0
      ? [{ kind: "ResultRepaired", attempt, summary } as const]
      : []),
    { kind: "StageMoved", orchestrator, event: { kind: "IntegrationClean" } },
  );
}
