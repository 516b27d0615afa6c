/** Finds the worker that a command addresses, or the reason for a refusal. */

import { roles } from "#shared/domain/worker/roles.ts";
import { reassignedTo } from "#shared/domain/worker/worker-record.ts";
import { EngineRefusal } from "../engine-errors.ts";
import type { RunReader, Worker } from "../ports.ts";
import { isActive, parentOf } from "./hierarchy.ts";

/** A worker with a change: an agent or an integrator. @throws EngineRefusal if the name is no such worker */
export function steerableWorker(run: RunReader, name: string): Worker {
  const worker = run.workers.get(name);
  const { role, changeId } = worker?.record ?? {};
  const successor = worker ? reassignedTo(worker.record) : null;
  if (successor !== null)
    throw new EngineRefusal(
      `The task of ${name} was reassigned to ${successor}.`,
      `Use ${successor} instead.`,
    );
  if (!worker || changeId === null || role === undefined || !roles[role].hasIterations)
    throw new EngineRefusal(
      `No agent named ${name} in this run.`,
      `Its agents are ${[...run.workers.values()]
        .filter(({ record }) => roles[record.role].canWriteTask && record.changeId !== null)
        .map(({ record }) => record.name)
        .join(", ")}.`,
    );
  return worker;
}

/** All workers that call models except seats: agents, the integrator, orchestrators. */
export function steerable(run: RunReader, name: string): Worker {
  const worker = run.workers.get(name);
  return worker && roles[worker.record.role].isLead ? worker : steerableWorker(run, name);
}

/** @throws EngineRefusal where its work is over */
export function refuseFinished(run: RunReader, name: string): void {
  const { status } = steerableWorker(run, name).record;
  if (status === "abandoned")
    throw new EngineRefusal(`The task of ${name} was abandoned.`, "Restore its change with `jj undo`.");
  if (status === "done")
    throw new EngineRefusal(
      `${name} is done.`,
      "Undo its work to restart it, or send a message to other agents.",
    );
}

/** A message wakes a sleeping orchestrator; before its start and after its end it hears nothing. */
export function refuseInactive(run: RunReader, name: string): void {
  if (isActive(run, name)) return;
  throw new EngineRefusal(
    `${name} ${run.stateOf(name).current.stage === "idle" ? "has not started" : "has finished its part"}.`,
    `Send a message to its parent, ${parentOf(run, name)}.`,
  );
}
