import { rootOrchestrator } from "#shared/domain/address.ts";
import { isOpen } from "#shared/domain/dependencies/dependency-events.ts";
import { waitsToAdvance } from "#shared/domain/run-actions.ts";
import { isOver, type RunAction } from "#shared/domain/run-state.ts";
import { JjError } from "../../jj/errors.ts";
import { settleInBackground } from "../agents/agents.ts";
import { askForBudget, pendingTrouble, type Trouble, trouble } from "../agents/budget.ts";
import { helpStuck } from "../agents/help-stuck.ts";
import { listen, listeningMs, quietAgents, tellParent } from "../agents/quiet-agents.ts";
import { stuckAgents } from "../agents/stuck-agents.ts";
import { settleDependency } from "../dependencies/settle-dependency.ts";
import { Interrupted } from "../engine-errors.ts";
import { lookFirst } from "../first-look/first-look.ts";
import { createBackground } from "../kernel/background.ts";
import { land } from "../landing/landing.ts";
import { orchestratorsOf, workerOnTask } from "../orchestrators/chain-of-command.ts";
import { deliverToOrchestrator, unreadOf } from "../orchestrators/peer-messages.ts";
import { contractsInConflict } from "../planning/broken-contracts.ts";
import { writeContracts } from "../planning/contracts.ts";
import { correctContracts } from "../planning/contracts-in-conflict.ts";
import { planRun } from "../planning/planning.ts";
import { prepareBase } from "../planning/prepare-base.ts";
import type { Run } from "../ports.ts";
import { obeyStatus } from "../steering/status-by-hand.ts";
import { statusesSpoken } from "../steering/statuses-said.ts";
import { letPass } from "../workspaces/crossings.ts";
import { holdInSandbox } from "../workspaces/sandbox-gate.ts";
import { createMerge, integrate } from "./integration.ts";
import { learn } from "./learning.ts";
import { pendingWork, type Work } from "./pending-work.ts";
import { workOnTask } from "./tasks.ts";
import { validateResult } from "./validating.ts";

/** Carries out what is pending in a run, and nothing else. */
export interface Runtime {
  /** Begins what is pending and not going on, and calls back what is going on and no longer pending. */
  pump(): void;
  /** Resolves when nothing goes on any more. */
  quiet(): Promise<void>;
}

/** @param onFailure called when not even the trouble could be taken down: nothing may go on beyond that */
export function createRuntime(run: Run, onOver: () => void, onFailure: (error: unknown) => void): Runtime {
  const going = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();
  const background = createBackground({ onFailure, onEnd: () => runtime.pump() });
  let scheduled = false;
  let told = false;

  const begin = (work: Work): void => {
    const controller = new AbortController();
    // Begun in the next microtask, so that an event raised by it never finds half a pump.
    const done = Promise.resolve()
      .then(() => perform(run, work, controller.signal))
      .catch(onFailure)
      .finally(() => {
        going.delete(work.id);
        runtime.pump();
      });
    going.set(work.id, { controller, done });
  };

  const look = (): void => {
    scheduled = false;
    if (isOver(run.state)) {
      for (const { controller } of going.values()) controller.abort(new Interrupted());
      if (told) return;
      told = true;
      onOver();
      return;
    }
    if (run.ending.signal.aborted) return;
    const wanted = pendingWork(run);
    const ids = new Set(wanted.map((work) => work.id));
    for (const [id, { controller }] of going) if (!ids.has(id)) controller.abort(new Interrupted());
    // One that was called back and is wanted again begins anew when it has wound down; its end pumps.
    for (const work of wanted) if (!going.has(work.id)) begin(work);
    for (const name of orchestratorsOf(run)) {
      const state = run.stateOf(name);
      const { course } = state;
      if (course.stage === "executing" && waitsToAdvance(state))
        run.show(name, "waiting", `phase ${course.phase} is done; resume to begin the next`);
    }
    for (const name of statusesSpoken(run)) background.begin(`status/${name}`, () => obeyStatus(run, name));
    if (run.state.hold !== "none") return;
    for (const exchange of run.facts.exchanges)
      if (!exchange.blocking && exchange.answer === null)
        background.begin(exchange.id, () => settleInBackground(run, exchange.id));
    for (const { id } of run.dependencies.state().filter(isOpen))
      background.begin(`dependencies/${id}`, () => settleDependency(run, id));
    for (const name of contractsInConflict(run))
      background.begin(`contracts/${name}`, () => correctContracts(run, name));
    for (const name of quietAgents(run)) background.begin(`quiet/${name}`, () => tellParent(run, name));
    for (const name of stuckAgents(run)) background.begin(`stuck/${name}`, () => helpStuck(run, name));
    for (const name of orchestratorsOf(run))
      if (unreadOf(run, name).length > 0)
        background.begin(`messages/${name}`, () => deliverToOrchestrator(run, name));
  };

  const listening = (): void => {
    if (run.ending.signal.aborted || isOver(run.state)) return;
    try {
      listen(run);
    } catch (error) {
      onFailure(error);
      return;
    }
    setTimeout(listening, listeningMs(run)).unref();
  };
  listening();

  const runtime: Runtime = {
    pump() {
      if (scheduled) return;
      scheduled = true;
      queueMicrotask(look);
    },
    async quiet() {
      while (going.size > 0) await Promise.all([...going.values()].map(({ done }) => done));
    },
  };
  return runtime;
}

/** One action to its end: an event that takes it off the list, a person's word after trouble, or an interruption. */
async function perform(run: Run, work: Work, wanted: AbortSignal): Promise<void> {
  let crossed = false;
  for (;;) {
    const before = run.stateOf(work.orchestrator);
    try {
      await pendingTrouble(run, work.id);
      // Who crossed us moved something, and what was read before is out of date.
      await (crossed ? run.refreshChanges() : refreshOnce(run));
      await carryOut(run, work, wanted);
      if (run.stateOf(work.orchestrator) !== before || wanted.aborted || run.ending.signal.aborted) return;
      throw new Error(
        `"${work.id}" ended and nothing came of it. This is a mistake of Hox; please report it.`,
      );
    } catch (error) {
      if (error instanceof Interrupted || run.ending.signal.aborted) return;
      // What was called back may end in any way; wanted again, it begins anew and meets the same trouble.
      if (wanted.aborted) return;
      await hearOfAbandoned(run, error);
      if (wanted.aborted) return;
      crossed = await letPass(run, work.id, error);
      if (wanted.aborted || run.ending.signal.aborted) return;
      if (crossed) continue;
      try {
        if (!(await trouble(run, troubleOf(run, work, error)))) return;
      } catch (stopped) {
        if (stopped instanceof Interrupted) return;
        throw stopped;
      }
      if (wanted.aborted) return;
    }
  }
}

/**
 * What is not found was perhaps abandoned by a person a moment ago, and nobody has heard of it yet: then the work is
 * called back, and that is no trouble to ask about.
 */
async function hearOfAbandoned(run: Run, error: unknown): Promise<void> {
  if (!(error instanceof JjError) || error.kind !== "no-such-revision") return;
  try {
    await run.refreshChanges();
  } catch (again) {
    // What could not be found says it better than what kept us from looking, unless that is not jj's at all.
    if (!(again instanceof JjError)) throw again;
  }
}

const troubleOf = (run: Run, { id, orchestrator, action }: Work, error: unknown): Trouble => ({
  of: id,
  worker:
    action.kind === "SpawnTaskAgent" ? (workerOnTask(run, orchestrator, action.task)?.name ?? null) : null,
  title: titles[action.kind],
  error,
});

const titles: Readonly<Record<RunAction["kind"], string>> = {
  SpawnPlanningAgent: "Planning cannot go on",
  WriteContracts: "The contracts cannot be written",
  SpawnTaskAgent: "An agent cannot go on",
  AdvancePhase: "The next phase cannot begin",
  CreateMerge: "The integration change cannot be made",
  ResolveConflicts: "The integration cannot go on",
  SpawnValidators: "The validation cannot go on",
  RecordPattern: "Learning from the run failed",
  Land: "The result cannot land",
  AskForBudget: "The work could not be saved at the budget's end",
  LogActivity: "The log cannot be written",
};

/** The graph is read once before anything is done after a start. */
const refreshOnce = (run: Run): Promise<void> => run.once.make("first-read", () => run.refreshChanges());

async function carryOut(run: Run, { orchestrator, action }: Work, wanted: AbortSignal): Promise<void> {
  switch (action.kind) {
    case "SpawnPlanningAgent":
      if (orchestrator === rootOrchestrator) {
        await prepareBase(run);
        if (!(await lookFirst(run, wanted))) return;
      }
      return planRun(run, orchestrator, action.round);
    case "WriteContracts":
      await holdInSandbox(run);
      return writeContracts(run, orchestrator, wanted);
    case "SpawnTaskAgent":
      await holdInSandbox(run);
      return workOnTask(run, orchestrator, action.task, wanted);
    case "AdvancePhase":
      return run.dispatch(action.by, orchestrator);
    case "CreateMerge":
      await holdInSandbox(run);
      return createMerge(run, orchestrator, wanted);
    case "ResolveConflicts":
      await holdInSandbox(run);
      return integrate(run, orchestrator, action.attempt, wanted);
    case "SpawnValidators":
      await holdInSandbox(run);
      return validateResult(run, action.attempt, wanted);
    case "RecordPattern":
      return learn(run);
    case "Land":
      return land(run);
    case "AskForBudget":
      return askForBudget(run, action.stop);
    case "LogActivity":
      return;
    default: {
      const never: never = action;
      return never;
    }
  }
}
