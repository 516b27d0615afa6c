import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import { pathLines, prompt, promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Change } from "#shared/graph/change.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { type Action, background, type Feature, type OrchestratorTool } from "../../../kernel/feature.ts";
import { waitUntil } from "../../../kernel/wait-until.ts";
import { askOrchestrator } from "../../../orchestrators/orchestrator.ts";
import type { Run, RunReader } from "../../../ports.ts";
import {
  chainOf,
  contractsFor,
  decisionsFor,
  orchestratorsOf,
  ownChanges,
  parentOf,
  scoped,
  tipOf,
  touchedBy,
  workersBelow,
} from "../../../workers/hierarchy.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";
import { inherits } from "../../decisions/conflicts/conflict-causes.ts";
import { writeContracts } from "./contracts.ts";

interface CorrectContracts extends Action {
  readonly orchestrator: string;
}

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
  const { course } = run.stateOf(orchestrator);
  // Before contracts are written there is nothing to correct: their author will see the conflict.
  if (course.stage === "idle" || course.stage === "planning") return null;
  if (course.stage === "executing" && course.phase === 0 && !course.settled) return null;
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
export async function untilContractsHold(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  const broken = (): string | undefined =>
    contractsInConflict(run).find((name) => standsOn(run, worker).has(name));
  const name = broken();
  if (name === undefined) return;
  run.setActivity(worker, "waiting", `waiting for ${name} to fix its contracts`);
  await waitUntil(run, () => broken() === undefined, signal);
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
  course: {
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
    background<Run, CorrectContracts>({
      desired: (run) =>
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
