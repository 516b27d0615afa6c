import { parseOrchestrator } from "#shared/domain/change-metadata/address.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import { writeMetadata } from "#shared/domain/change-metadata/write-trailers.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { claimsWithoutFile } from "#shared/domain/files/glob.ts";
import { withDecisionRecord } from "#shared/domain/plan/decision-record.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import { type PromptText, pathLines, prompt, promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Change } from "#shared/graph/change.ts";
import { settleBeforeOffer } from "../../../agents/agent.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { background, type Feature, type OrchestratorTool } from "../../../kernel/feature.ts";
import { askOrchestrator } from "../../../orchestrators/orchestrator.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { checkLines, contractLines } from "../../../prompts.ts";
import {
  chainOf,
  contractsFor,
  decisionsFor,
  orchestratorsOf,
  ownChanges,
  parentOf,
  rootOf,
  scoped,
  tipOf,
  touchedBy,
  workersBelow,
} from "../../../workers/hierarchy.ts";
import { checkFresh, notePassed } from "../../../workspaces/check-options.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";
import { save } from "../../../workspaces/save-workspace.ts";
import { inherits } from "../../decisions/conflicts/conflict-causes.ts";
import { judgeSnapshot } from "../../environment/protected-files/feature.ts";

/** Contracts are files like any other. */
const writing: readonly OrchestratorTool<Run>[] = [
  "report_done",
  "write_file",
  "edit_file",
  "move_file",
  "delete_file",
].map((name, index) => ({ name, answers: { contracts: index + 1, "contracts in conflict": index + 1 } }));

/** How often an orchestrator is asked before the user is: some conflicts take a second try. */
const attempts = 3;

/**
 * Contracts and decisions of an orchestrator that conflict with a change below them, e.g. a decision of its
 * parent or a rewrite by the user. Their author corrects them once for all dependents. (HOX-4.4)
 *
 * Wakes the orchestrator until its own changes have no conflict. Resumes after a restart.
 */
async function correctContracts(run: Run, orchestrator: string): Promise<void> {
  try {
    await correctAll(run, orchestrator);
  } finally {
    run.waiters.wake();
  }
}

/** The lowest conflict first: with it those above may go. */
async function correctAll(run: Run, orchestrator: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    await run.refreshChanges();
    const change = conflictOf(run, orchestrator);
    if (change === null) return;
    if (attempt === attempts)
      throw new EngineRefusal(
        `${change.changeId.slice(0, 12)} still has a conflict after ${orchestrator} tried ${attempts} times.`,
        "Resolve it in that change yourself, then retry.",
      );
    await correct(run, orchestrator, change);
  }
}

/**
 * The lowest own change of an orchestrator that introduces a conflict; null if there is none. Starts no
 * process. (HOX-4.4)
 */
function conflictOf(run: RunReader, orchestrator: string): Change | null {
  const { current } = run.stateOf(orchestrator);
  // Before contracts are written there is nothing to correct: their author will see the conflict.
  if (current.stage === "idle" || current.stage === "planning") return null;
  if (current.stage === "executing" && current.phase === 0 && !current.settled) return null;
  if (run.worker(orchestrator).record.status === "abandoned") return null;
  return (
    ownChanges(run, orchestrator).find((change) => change.conflict && !inherits(run, change.parents)) ?? null
  );
}

/** Orchestrators that have to correct what is their own. */
const contractsInConflict = (run: RunReader): readonly string[] =>
  orchestratorsOf(run).filter((name) => conflictOf(run, name) !== null);

/**
 * Whoever builds on contracts in conflict, or brings together what does, waits: what it resolved itself would be
 * resolved twice.
 */
export async function waitForContracts(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  const broken = (): string | undefined =>
    contractsInConflict(run).find((name) => standsOn(run, worker).has(name));
  const name = broken();
  if (name === undefined) return;
  run.setActivity(worker, "waiting", `waiting for ${name} to fix its contracts`);
  await run.waiters.until(() => broken() === undefined, signal);
}

/** Orchestrators whose own changes are ancestors of a worker's. */
function standsOn(run: RunReader, worker: string): ReadonlySet<string> {
  const { isLead, canWriteTask } = roles[run.worker(worker).record.role];
  const top = isLead ? worker : parentOf(run, worker);
  const together = canWriteTask ? [] : workersBelow(run, top).map(({ record }) => record.name);
  return new Set([...chainOf(run, top), ...together]);
}

async function correct(run: Run, orchestrator: string, { changeId, description }: Change): Promise<void> {
  const touched = touchedBy(run, orchestrator);
  const round = run.orchestratorFacts(orchestrator).contractsCorrected + 1;
  await run.lock.withExclusive(orchestrator, () => run.workspaces.ensure(orchestrator, changeId));
  const { commitId } = await readChange(run, changeId);
  const files = (await run.repository.conflictedFiles(commitId)).map(({ path }) => path);
  const above = decisionsFor(run, parentOf(run, orchestrator)).filter(
    (one) => one.orchestrator !== orchestrator && one.files.some((file) => files.includes(file)),
  );
  const text = prompt(
    promptLine`"${parseDescription(description).subject}" is yours, and a change that was inserted below it conflicts with it. Your workspace is on that change now.`,
    section("Files in conflict", pathLines(files)),
    section(
      "Decisions below it",
      above.map(({ title, reason }) => promptLine`- ${title}: ${reason}`),
    ),
  );
  // As while they are first written: another decision from above waits until this one is taken in.
  await run.lock.withShared(orchestrator, () =>
    askOrchestrator(run, orchestrator, `contracts-in-conflict/${round}`, "contracts in conflict", text),
  );
  await run.lock.withExclusive(
    touched,
    () =>
      rewriteBeneath(run, { touched, what: `The contracts of ${orchestrator} were fixed.` }, () =>
        run.workspaces.ensure(orchestrator, tipOf(run, orchestrator)),
      ),
    "contracts are being fixed",
  );
  run.append({ kind: "ContractsCorrected", orchestrator });
}

/**
 * What all tasks of an orchestrator build on: written once, and corrected when something below conflicts with
 * it.
 */
export const contracts: Feature<Run> = {
  name: "contracts",
  agents: {
    prompt: {
      contracts: (run, { worker }) => [section("Contracts", contractsFor(run, parentOf(run, worker)))],
    },
  },
  stageActions: {
    WriteContracts: {
      title: "The contracts could not be written",
      async perform(run, { orchestrator }, signal) {
        await requireSandbox(run);
        await writeContracts(run, orchestrator, signal);
      },
    },
  },
  orchestratorTools: writing,
  background: [
    background({
      desired: (run: Run) =>
        contractsInConflict(run).map((orchestrator) => ({ id: `contracts/${orchestrator}`, orchestrator })),
      perform: (run, { orchestrator }) => correctContracts(run, orchestrator),
      failure: ({ orchestrator }) => ({
        title: `The contracts of ${orchestrator} are in conflict`,
        worker: orchestrator,
        isAsked: true,
        of: scoped(orchestrator, "contracts-in-conflict"),
      }),
    }),
  ],
};

/**
 * Phase 0: what an orchestrator's tasks share, committed to its base, so that every agent below inherits it.
 * Missing files or failed checks go back to it, and to the user after `merge_requests.max_rounds` rounds. Existing
 * content counts by any author, so this can restart at any point.
 */
async function writeContracts(run: Run, orchestrator: string, signal: AbortSignal): Promise<void> {
  const { base, plan } = run.orchestratorFacts(orchestrator);
  if (base === null || plan === null) throw new Error("Contracts come after the plan.");
  const workspace = await run.workspaces.ensure(orchestrator, base);
  run.append({ kind: "WorkStarted", worker: orchestrator });
  let summary = run.worker(orchestrator).record.summary;
  for (let asked = 0; ; asked++) {
    const written = run.orchestratorFacts(orchestrator).contractsWritten;
    const problems = written === 0 ? [] : await problemsOf(run, orchestrator, signal);
    if (written > 0 && problems.length === 0) break;
    if (asked >= run.config.mergeRequests.maxRounds)
      throw new EngineRefusal(
        `The contracts of ${orchestrator} are still invalid after ${asked} attempts:\n${problems.join("\n")}`,
        `Fix them in change ${base.slice(0, 12)} yourself, then retry. If they are still invalid, the retry asks ${orchestrator} again.`,
      );
    const key = written === 0 ? "contracts" : `contracts/${written + 1}`;
    const text = prompt(
      section("Why your contracts are not accepted yet", problems),
      section("Contracts", contractLines(plan)),
      section("How much is written", [rigorOf(orchestrator)]),
      section(
        "Tasks that will build on them",
        plan.tasks.map((task) => promptLine`- ${task.id} (phase ${task.phase}): ${task.title}`),
      ),
    );
    // A decision from above rewrites its base; wait until that is done.
    const answer = await run.lock.withShared(orchestrator, () =>
      askOrchestrator(run, orchestrator, key, "contracts", text),
    );
    await judgeSnapshot(run, orchestrator, workspace, await save(workspace));
    summary = summaryOf(answer.value);
    run.append({ kind: "ContractsWritten", orchestrator, summary });
  }
  await settleBeforeOffer(run, { worker: orchestrator, changeId: base }, signal);
  await closeContracts(run, orchestrator, summary);
  await run.refreshChanges();
  run.dispatch({ kind: "ContractsComplete" }, orchestrator);
}

/** Marks them as done. Who builds on them reads in their commit what was decided; far from the goal types say it all. */
async function closeContracts(run: Run, orchestrator: string, summary: string): Promise<void> {
  const { base, plan } = run.orchestratorFacts(orchestrator);
  if (base === null || plan === null) return;
  const options = { actor: orchestrator };
  if (levelOf(orchestrator) >= 2)
    await run.repository.setMetadata([{ change: base, patch: { status: "done" } }], options);
  else {
    const { description } = await readChange(run, base);
    const recorded = withDecisionRecord(description, { plan, summary });
    await run.repository.describe(base, writeMetadata(recorded, { status: "done" }), options);
  }
}

/**
 * What is far from the goal is small and changes often: there types bind, and words about them would only grow old.
 * (HYLO-1, HYLO-16)
 */
export const rigorOf = (orchestrator: string): PromptText =>
  levelOf(orchestrator) < 2
    ? promptLine`Types always; a short note of what the goal wants and what it leaves out; acceptance tests where they can be written.`
    : promptLine`Types with their limits and errors, and nothing else: the levels above write intent and acceptance tests.`;

/** 0 for the root, 1 for those it delegates to, and so on. */
const levelOf = (orchestrator: string): number =>
  (parseOrchestrator(orchestrator)?.level.charCodeAt(0) ?? 65) - 65;

const summaryOf = (value: unknown): string =>
  typeof value === "object" && value !== null && "summary" in value ? String(value.summary) : "";

/** Why agents cannot build on the contracts as they are, in words for their author; empty when they can. */
async function problemsOf(
  run: Run,
  orchestrator: string,
  signal: AbortSignal,
): Promise<readonly PromptText[]> {
  const { base, plan } = run.orchestratorFacts(orchestrator);
  const change = await readChange(run, base ?? "");
  const { commitId } = change;
  const files = await run.repository.listFiles(commitId);
  const conflicts = change.conflict ? await run.repository.conflictedFiles(commitId) : [];
  const problems = [
    ...claimsWithoutFile(plan?.contracts.files ?? [], files).map(
      (claim) => promptLine`- ${shownName(claim)} is named as a contract, and nothing was written there.`,
    ),
    ...conflicts.map(({ path }) => promptLine`- ${shownName(path)} has conflict markers.`),
  ];
  // An empty change can break no check.
  if (problems.length > 0 || (await run.repository.changedPaths(commitId)).length === 0) return problems;
  const failuresOf = async (commit: string): Promise<readonly CheckResult[]> =>
    (await checkFresh(run, orchestrator, commit, signal)).filter(isBlocking);
  try {
    const results = await checkFresh(run, orchestrator, commitId, signal);
    const failed = results.filter(isBlocking);
    // All tasks build on the root's contracts.
    if (failed.length === 0) notePassed(run, results, orchestrator === rootOf(run) ? "everyone" : "result");
    if (failed.length === 0) return [];
    // What failed before they were written is no fault of theirs, and may be what the goal is about.
    const [parent] = await run.repository.parentsOf(change.changeId);
    const before = new Set((parent ? await failuresOf(parent.commitId) : []).map(({ command }) => command));
    return checkLines(failed.filter(({ command }) => !before.has(command)));
  } finally {
    run.setActivity(orchestrator, "sleeping", "");
  }
}
