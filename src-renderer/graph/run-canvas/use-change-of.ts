import type { Change } from "#shared/graph/change.ts";
import { changeAt, rowsOfChange } from "#shared/graph/change-graph.ts";
import { useGraph } from "../../state/graph-store.ts";

/** The change that a worker works on, as the graph shows it. */
export const useChangeOfWorker = (changeId: string | null): Change | null =>
  useGraph(({ graph }) =>
    changeId === null || graph === null
      ? null
      : (changeAt(graph, rowsOfChange(graph, changeId)[0] ?? -1) ?? null),
  );
