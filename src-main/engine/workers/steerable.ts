/** Whom a person's command means, or why there is nobody to carry it out. */
import { roles } from "#shared/domain/worker/roles.ts";
import { EngineRefusal } from "../engine-errors.ts";
import type { Run, RunReader, Worker } from "../ports.ts";
import { isActive, parentOf } from "./hierarchy.ts";

/** @throws EngineRefusal where no run was opened */
export function latestRun(opened: () => Run | null): Run {
  const run = opened();
  if (run) return run;
  throw new EngineRefusal("There is no run here.", "Start one with a goal.");
}

/** Whoever has a change to work on: agents, and integrators. @throws EngineRefusal where that is nobody of this name */
export function steerableWorker(run: RunReader, name: string): Worker {
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

/** Everyone who asks a model and is not a seat of the validation: agents, the integrator, orchestrators. */
export function steerable(run: RunReader, name: string): Worker {
  const worker = run.workers.get(name);
  return worker && roles[worker.record.role].isLead ? worker : steerableWorker(run, name);
}

/** @throws EngineRefusal where its work is over */
export function refuseFinished(run: RunReader, name: string): void {
  const { status } = steerableWorker(run, name).record;
  if (status === "abandoned")
    throw new EngineRefusal(`The task of ${name} was abandoned.`, "Bring its change back with `jj undo`.");
  if (status === "done")
    throw new EngineRefusal(
      `${name} is done.`,
      "Undo its work to let it begin anew, or tell the others about it.",
    );
}

/** An orchestrator sleeps between events, and a message is one; before it has begun, and after, nobody hears it. */
export function refuseInactive(run: RunReader, name: string): void {
  if (isActive(run, name)) return;
  throw new EngineRefusal(
    `${name} ${run.stateOf(name).course.stage === "idle" ? "has not begun" : "is through with its part"}.`,
    `Write to ${parentOf(run, name)}, which it answers to.`,
  );
}
