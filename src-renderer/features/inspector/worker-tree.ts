import type { OrchestratorView, RunView, WorkerView } from "#shared/contract/views/run.ts";
import { compareOrchestrators } from "#shared/domain/graph-words/address.ts";
import { roles } from "#shared/domain/worker/roles.ts";

/** A worker at its place below its orchestrator. */
export interface PlacedWorker {
  readonly worker: WorkerView;
  /** 0 for the root. */
  readonly depth: number;
  /** What is known of it as an orchestrator; null for agents. */
  readonly leads: OrchestratorView | null;
}

/**
 * Workers in the order of command: each orchestrator before those below it, agents before the orchestrators
 * below, so that a part stays together. Validators belong to no plan and are left out.
 */
export function workerTree({
  workers,
  orchestrators,
}: Pick<RunView, "workers" | "orchestrators">): readonly PlacedWorker[] {
  const leads = new Map(orchestrators.map((one) => [one.name, one]));
  const known = new Set(workers.map((worker) => worker.name));
  const below = Map.groupBy(workers.filter(isPlaced), (worker) => parentIn(worker, known));
  const placed = (parent: string | null, depth: number): readonly PlacedWorker[] =>
    (below.get(parent) ?? [])
      .toSorted((one, other) => rank(one) - rank(other) || byName(one, other))
      .flatMap((worker) => [
        { worker, depth, leads: leads.get(worker.name) ?? null },
        ...placed(worker.name, depth + 1),
      ]);
  return placed(null, 0);
}

/** Archangels have a separate list. */
const isPlaced = ({ role }: WorkerView): boolean => roles[role].isListed && role !== "archangel";

/** A worker whose orchestrator is not on the list is at the top. */
const parentIn = (worker: WorkerView, known: ReadonlySet<string>): string | null =>
  worker.parent !== null && known.has(worker.parent) ? worker.parent : null;

/** Forks follow the worker they work for. */
const order: readonly WorkerView["role"][] = ["fork", "agent", "integrator", "orchestrator"];
const rank = (worker: WorkerView): number => order.indexOf(worker.role);

/** Only orchestrators are sorted; agents stay as their plan named them. */
const byName = (one: WorkerView, other: WorkerView): number =>
  roles[one.role].isLead ? compareOrchestrators(one.name, other.name) : 0;
