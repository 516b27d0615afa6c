import type { WorkerView } from "#shared/contract/views/run.ts";
import type { Change } from "#shared/graph/change.ts";
import { changeAt, rowsOfChange } from "#shared/graph/change-graph.ts";
import { useGraph } from "../../state/graph-store.ts";
import { useHost } from "../../state/host-store.ts";

/** A worker of the run by its name, and the change that it works on as the graph shows it. */
export function useChangeOf(name: string | null): {
  readonly view: WorkerView | null;
  readonly change: Change | null;
} {
  const view = useHost((state) => state.run?.workers.find((worker) => worker.name === name) ?? null);
  const changeId = view?.changeId ?? null;
  const change = useGraph((state) =>
    changeId === null || state.graph === null
      ? null
      : (changeAt(state.graph, rowsOfChange(state.graph, changeId)[0] ?? -1) ?? null),
  );
  return { view, change };
}
