import { setTimeout } from "node:timers/promises";
import { rootOrchestrator } from "#shared/domain/address.ts";
import { pending, waitsToAdvance } from "#shared/domain/run-actions.ts";
import { isOver, type RunAction } from "#shared/domain/run-state.ts";
import { JjError } from "../jj/errors.ts";
import { settleInBackground } from "./agents.ts";
import { askForBudget, pendingTrouble, trouble } from "./budget.ts";
import { workerOnTask } from "./chain-of-command.ts";
import { writeContracts } from "./contracts.ts";
import { Interrupted } from "./engine-errors.ts";
import { createMerge, integrate } from "./integration.ts";
import { land } from "./landing.ts";
import { learn } from "./learning.ts";
import { planRun } from "./planning.ts";
import type { Run } from "./run.ts";
import { refreshChanges } from "./run-changes.ts";
import { holdInSandbox } from "./sandbox-gate.ts";
import { workOnTask } from "./tasks.ts";
import { validateResult } from "./validating.ts";

/** Carries out what is pending in a run, and nothing else. */
export interface Runtime {
  /** Begins what is pending and not going on, and calls back what is going on and no longer pending. */
  pump(): void;
  /** Resolves when nothing goes on any more. */
  quiet(): Promise<void>;
}

export function createRuntime(run: Run, onOver: () => void): Runtime {
  const going = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();
  const background = new Set<string>();
  let scheduled = false;
  let told = false;

  const begin = (action: RunAction): void => {
    const controller = new AbortController();
    // Begun in the next microtask, so that an event raised by it never finds half a pump.
    const done = Promise.resolve()
      .then(() => perform(run, action, controller.signal))
      .finally(() => {
        going.delete(action.id);
        runtime.pump();
      });
    going.set(action.id, { controller, done });
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
    const wanted = pending(run.state);
    const ids = new Set(wanted.map((action) => action.id));
    for (const [id, { controller }] of going) if (!ids.has(id)) controller.abort(new Interrupted());
    for (const action of wanted) {
      const same = going.get(action.id);
      // One that was called back and is wanted again begins anew when it has wound down; its end pumps.
      if (!same) begin(action);
    }
    const { course } = run.state;
    if (course.stage === "executing" && waitsToAdvance(run.state))
      run.show(rootOrchestrator, "waiting", `phase ${course.phase} is done; resume to begin the next`);
    if (run.state.hold === "none")
      for (const exchange of run.facts.exchanges) {
        if (exchange.blocking || exchange.answer !== null || background.has(exchange.id)) continue;
        background.add(exchange.id);
        void settleInBackground(run, exchange.id).finally(() => background.delete(exchange.id));
      }
  };

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
async function perform(run: Run, action: RunAction, wanted: AbortSignal): Promise<void> {
  for (let crossings = 0; ; ) {
    const before = run.state;
    try {
      await pendingTrouble(run, action.id);
      await refreshOnce(run);
      await carryOut(run, action, wanted);
      if (run.state !== before || wanted.aborted || run.ending.signal.aborted) return;
      throw new Error(
        `"${action.id}" ended and nothing came of it. This is a mistake of Hox; please report it.`,
      );
    } catch (error) {
      if (error instanceof Interrupted || run.ending.signal.aborted) return;
      if (isCrossing(error) && crossings < patience) {
        crossings += 1;
        await setTimeout(100 * 2 ** crossings);
        if (wanted.aborted || run.ending.signal.aborted) return;
        continue;
      }
      crossings = 0;
      try {
        const worker =
          action.kind === "SpawnTaskAgent"
            ? (workerOnTask(run, rootOrchestrator, action.task)?.name ?? null)
            : null;
        if (!(await trouble(run, { of: action.id, worker, title: titles[action.kind], error }))) return;
      } catch (stopped) {
        if (stopped instanceof Interrupted) return;
        throw stopped;
      }
      if (wanted.aborted) return;
    }
  }
}

/** A person at full speed in a terminal crosses our writes now and then; every action may simply begin again. */
const isCrossing = (error: unknown): boolean =>
  error instanceof JjError && ["concurrent", "stale", "divergent"].includes(error.kind);
const patience = 5;

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

const refreshed = new WeakMap<Run, Promise<void>>();

/** The graph is read once before anything is done after a start. */
function refreshOnce(run: Run): Promise<void> {
  const known = refreshed.get(run);
  if (known) return known;
  const first = refreshChanges(run);
  refreshed.set(run, first);
  first.catch(() => refreshed.delete(run));
  return first;
}

async function carryOut(run: Run, action: RunAction, wanted: AbortSignal): Promise<void> {
  switch (action.kind) {
    case "SpawnPlanningAgent":
      return planRun(run, rootOrchestrator, action.round);
    case "WriteContracts":
      await holdInSandbox(run);
      return writeContracts(run, rootOrchestrator);
    case "SpawnTaskAgent":
      await holdInSandbox(run);
      return workOnTask(run, rootOrchestrator, action.task, wanted);
    case "AdvancePhase":
      return run.dispatch(action.by, rootOrchestrator);
    case "CreateMerge":
      return createMerge(run, rootOrchestrator);
    case "ResolveConflicts":
      await holdInSandbox(run);
      return integrate(run, rootOrchestrator, action.attempt, wanted);
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
