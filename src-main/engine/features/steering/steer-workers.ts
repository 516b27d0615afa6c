/** What a person does with one agent, while the others go on. */
import type { workerCommands } from "#shared/contract/commands/worker.ts";
import type { EngineCommandName } from "#shared/contract/commands.ts";
import { addressMatches, isAddress } from "#shared/domain/graph-words/address.ts";
import { isOver } from "#shared/domain/run/run-state.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { EngineRefusal } from "../../engine-errors.ts";
import type { EngineCommands } from "../../kernel/commands.ts";
import { addressOf, listenersTo, person, sendMessage } from "../../orchestrators/messages.ts";
import type { Run } from "../../ports.ts";
import { integratorOf, isActive, orchestratorsOf, parentOf } from "../../workers/hierarchy.ts";
import { hold, isHeld, isTakenOver, release } from "../../workers/hold-worker.ts";
import { limitsOf, openBudgetCard, setIterations } from "../../workers/worker-limits.ts";
import { retryWorker } from "../health/retry-worker.ts";
import { reassign } from "../reassignment/reassign.ts";
import { finishByHand, giveBack, previewTakeover, takeOver } from "../takeover/take-over.ts";
import { previewUndo, undoWorker } from "../undo/undo-worker.ts";

type WorkerCommand = Extract<keyof typeof workerCommands, EngineCommandName>;

export function createSteering(runs: {
  /** The run that goes on, or a refusal. */
  readonly active: () => Run;
  /** The run that is open, also when it is over. */
  readonly opened: () => Run | null;
}): EngineCommands<WorkerCommand> {
  const latest = (): Run => {
    const run = runs.opened();
    if (!run) throw new EngineRefusal("There is no run here.", "Start one with a goal.");
    return run;
  };
  const working = (run: Run, name: string): void => {
    const { status } = workerOf(run, name).record;
    if (status === "abandoned")
      throw new EngineRefusal(`The task of ${name} was abandoned.`, "Bring its change back with `jj undo`.");
    if (status === "done")
      throw new EngineRefusal(
        `${name} is done.`,
        "Undo its work to let it begin anew, or tell the others about it.",
      );
  };

  return {
    async "run.pauseWorker"({ worker: name }) {
      const run = runs.active();
      if (roles[steerable(run, name).record.role].isLead) awake(run, name);
      else working(run, name);
      hold(run, name);
    },
    async "run.resumeWorker"({ worker: name }) {
      const run = runs.active();
      steerable(run, name);
      if (isTakenOver(run, name))
        throw new EngineRefusal(
          `The task of ${name} is in your hands.`,
          "Give it back, or say that it is done.",
        );
      if (!isHeld(run, name))
        throw new EngineRefusal(
          `${name} is not paused.`,
          run.state.hold === "none"
            ? "It goes on by itself when what it waits for is there."
            : "The whole run is: resume that.",
        );
      release(run, name);
    },
    async "run.retryWorker"({ worker: name }) {
      const run = runs.active();
      if (!roles[steerable(run, name).record.role].isLead) working(run, name);
      if (!(await retryWorker(run, name)))
        throw new EngineRefusal(
          `Nothing went wrong for ${name}.`,
          "Pause it, write to it, or undo its work.",
        );
      release(run, name);
    },
    async "run.messageWorker"({ worker: name, text }) {
      const run = runs.active();
      const role = run.workers.get(name)?.record.role;
      if (role === undefined && isAddress(name)) heard(run, name);
      else if (role !== undefined && roles[role].isLead) awake(run, name);
      else working(run, name);
      await sendMessage(run, {
        key: `${person}/${run.newId()}`,
        from: person,
        to: role === undefined ? name : addressOf(run, name),
        type: "info",
        text,
      });
    },
    async "run.reassignWorker"({ worker: name, model, brief }) {
      const run = runs.active();
      working(run, name);
      return { worker: await reassign(run, name, { model, brief }) };
    },
    async "run.takeOver"({ worker: name }) {
      const run = runs.active();
      working(run, name);
      return takeOver(run, name);
    },
    async "run.lookAtHands"({ worker: name }) {
      workerOf(latest(), name);
      return previewTakeover(latest(), name);
    },
    async "run.giveBack"({ worker: name, words }) {
      const run = runs.active();
      workerOf(run, name);
      await giveBack(run, name, words);
      await retryWorker(run, name);
    },
    async "run.finishByHand"({ worker: name, summary }) {
      const run = runs.active();
      workerOf(run, name);
      const result = await finishByHand(run, name, summary);
      if (result.done) await retryWorker(run, name);
      return result;
    },
    async "run.setWorkerLimits"({ worker: name, maxIterations, ...amounts }) {
      const run = runs.active();
      const { record } = steerable(run, name);
      if (maxIterations !== undefined) setIterations(run, name, maxIterations);
      if (amounts.tokens === undefined && amounts.microDollars === undefined) return;
      const before = limitsOf(run, name);
      const limits = {
        tokens: amounts.tokens === undefined ? before.tokens : amounts.tokens,
        microDollars: amounts.microDollars === undefined ? before.microDollars : amounts.microDollars,
      };
      run.append({ kind: "WorkerLimitsSet", worker: record.name, limits });
      const card = openBudgetCard(run, name);
      if (card)
        await run.inbox.answer({ ...card, decision: { kind: "extend", ...limits } }, async () => undefined);
    },
    "run.previewUndo": async ({ worker: name }) => previewUndo(latest(), workerOf(latest(), name)),
    async "run.undoWorker"({ worker: name, afterwards }) {
      const run = latest();
      const over = isOver(run.state);
      const heldBefore = isHeld(run, name);
      const parent = parentOf(run, name);
      const stage = (): string => run.stateOf(parent).course.stage;
      const before = stage();
      if (!over) hold(run, name);
      try {
        await undoWorker(run, workerOf(run, name));
        if (!over) await retryWorker(run, name);
        // It was stuck because its change was abandoned to make way for this; it comes again after the tasks.
        if (before === "integrating" && stage() === "executing") await retryWorker(run, integratorOf(parent));
      } catch (error) {
        if (!over && !heldBefore) release(run, name);
        throw error;
      }
      if (!over && afterwards === "restart") release(run, name);
    },
  };
}

/** An orchestrator sleeps between events, and a message is one; before it has begun, and after, nobody hears it. */
function awake(run: Run, name: string): void {
  if (isActive(run, name)) return;
  throw new EngineRefusal(
    `${name} ${run.stateOf(name).course.stage === "idle" ? "has not begun" : "is through with its part"}.`,
    `Write to ${parentOf(run, name)}, which it answers to.`,
  );
}

/** Words that reach nobody are not sent. */
function heard(run: Run, address: string): void {
  if (listenersTo(run, address).length > 0) return;
  const orchestrators = orchestratorsOf(run).filter((name) => isActive(run, name));
  if (orchestrators.some((name) => addressMatches(address, name))) return;
  throw new EngineRefusal(
    `Nobody who works now is reached by ${address}.`,
    `Write to ${orchestrators.map((name) => `${name} or ${name}/*`).join(", ")}.`,
  );
}

/** Everyone who asks a model and is not a seat of the validation: agents, the integrator, orchestrators. */
function steerable(run: Run, name: string) {
  const worker = run.workers.get(name);
  return worker && roles[worker.record.role].isLead ? worker : workerOf(run, name);
}

function workerOf(run: Run, name: string) {
  const worker = run.workers.get(name);
  const { role, changeId, replacedBy } = worker?.record ?? {};
  if (replacedBy)
    throw new EngineRefusal(`${name} gave its task to ${replacedBy}.`, `Steer ${replacedBy} instead.`);
  if (!worker || changeId === null || role === undefined || !roles[role].hasIterations)
    throw new EngineRefusal(
      `No agent of this run is called ${name}.`,
      `Its agents are ${[...run.workers.values()]
        .filter(({ record }) => roles[record.role].canWriteTask && record.changeId !== null)
        .map(({ record }) => record.name)
        .join(", ")}.`,
    );
  return worker;
}
