/** What the canvas shows of a run beside what it is laid out from: not the words that stream in many times a second. */
import type { OrchestratorView } from "#shared/contract/views/orchestrator.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { formatWaitsForSlot, placesTaken } from "#shared/domain/worker/agent-places.ts";
import { usePartOfHost } from "../../state/host-store.ts";

export interface RunOnCanvas
  extends Pick<
    RunView,
    | "id"
    | "onto"
    | "base"
    | "plan"
    | "phase"
    | "stage"
    | "paused"
    | "endedAt"
    | "integration"
    | "validation"
    | "rounds"
    | "landed"
  > {
  /** Shown at a task that is ready to start. */
  readonly nextLabel: string;
  readonly orchestrators: readonly Omit<OrchestratorView, "spent">[];
  readonly workers: readonly Pick<WorkerView, "name" | "parent" | "task" | "status">[];
}

function runOnCanvas(run: RunView): RunOnCanvas {
  const { id, onto, base, plan, phase, stage, paused, endedAt } = run;
  const { integration, validation, rounds, landed } = run;
  return {
    ...{ id, onto, base, plan, phase, stage, paused, endedAt, integration, validation, rounds, landed },
    // With room it is about to begin.
    nextLabel: placesTaken(run) < run.maxParallelAgents ? "Next up" : formatWaitsForSlot(run, "window"),
    orchestrators: run.orchestrators.map(({ spent: _, ...part }) => part),
    workers: run.workers.map(({ name, parent, task, status }) => ({ name, parent, task, status })),
  };
}

/** Of the run that is on screen; the same object until something of it changes. */
export const useRunOnCanvas = (): RunOnCanvas | null => usePartOfHost(({ run }) => run && runOnCanvas(run));
