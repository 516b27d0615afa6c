/** What both views of the graph draw: filtered, folded, laid out. Made once for each version of the graph. */
import { create } from "zustand";
import type { CanvasLayout } from "#shared/graph/canvas-layout.ts";
import { canvasId, canvasLayout } from "#shared/graph/canvas-layout.ts";
import type { Change } from "#shared/graph/change.ts";
import type { ChangeGraph } from "#shared/graph/change-graph.ts";
import { buildGraph } from "#shared/graph/change-graph.ts";
import type { FoldedGraph, FoldedRow } from "#shared/graph/history-folding.ts";
import { foldHistory } from "#shared/graph/history-folding.ts";
import type { LaneLayout } from "#shared/graph/lanes.ts";
import { layoutLanes } from "#shared/graph/lanes.ts";
import { rowOfKey, useGraph } from "../../state/graph-store.ts";
import { useHost } from "../../state/host-store.ts";
import type { RowKey } from "../../state/selection-store.ts";
import { forgetChoices, useSelection } from "../../state/selection-store.ts";
import { useFilter } from "./filter-store.ts";

export interface GraphModel {
  readonly graph: ChangeGraph;
  readonly folded: FoldedGraph;
  readonly lanes: LaneLayout;
}

interface ModelState {
  readonly model: GraphModel | null;
  readonly openFolds: ReadonlySet<string>;
}

export const useModel = create<ModelState>(() => ({ model: null, openFolds: new Set() }));

const foldPrefix = "fold:";

/** The key of a row in both views: that of its change, or of the folded group. */
export const rowKeyOf: (row: FoldedRow) => RowKey = canvasId;

/** The row of the folded graph that a key names, or −1. */
export function foldedRowOfKey(model: GraphModel, key: RowKey): number {
  if (key.startsWith(foldPrefix)) {
    return model.folded.rows.findIndex((row) => row.kind === "fold" && rowKeyOf(row) === key);
  }
  const row = rowOfKey(model.graph, key);
  return row < 0 ? -1 : (model.folded.foldedRows[row] ?? -1);
}

interface ModelOptions {
  readonly openFolds: ReadonlySet<string>;
  readonly matches: ReadonlySet<string> | null;
  readonly hides: boolean;
}

/** What a filter found is what was asked for: none of it is folded away. More than this would be no search any more. */
const maxExpanded = 500;

function makeModel(whole: ChangeGraph, { openFolds: open, matches, hides }: ModelOptions): GraphModel {
  const graph =
    matches && hides
      ? buildGraph({ ...whole, changes: whole.changes.filter((change) => matches.has(change.commitId)) })
      : whole;
  const keep =
    matches && (hides || matches.size <= maxExpanded)
      ? ({ commitId }: Change): boolean => matches.has(commitId)
      : null;
  const folded = foldHistory(graph, keep ? { open, keep } : { open });
  return { graph, folded, lanes: layoutLanes(folded) };
}

/** How many of a fold's changes a filter has found. */
export function foundInFold(model: GraphModel, row: FoldedRow, matches: ReadonlySet<string>): number {
  const at = model.folded.rows.indexOf(row);
  const { graphRows } = model.folded;
  const changes = model.graph.changes.slice(graphRows[at] ?? 0, graphRows[at + 1] ?? 0);
  return changes.reduce((count, { commitId }) => (matches.has(commitId) ? count + 1 : count), 0);
}

function refresh(): void {
  const whole = useGraph.getState().graph;
  const { openFolds, model } = useModel.getState();
  if (whole === null) {
    if (model !== null) useModel.setState({ model: null });
    return;
  }
  const { commits: matches } = useFilter.getState();
  const { filterHides: hides } = useSelection.getState();
  useModel.setState({ model: makeModel(whole, { openFolds, matches, hides }) });
}

/** Opens a folded stretch of history, or closes it again. */
export function toggleFold(fold: string): void {
  const openFolds = new Set(useModel.getState().openFolds);
  if (!openFolds.delete(fold)) openFolds.add(fold);
  useModel.setState({ openFolds });
  refresh();
}

/** Unfolds what hides a change, so that the selected one is visible. */
function reveal(key: RowKey): void {
  const { model } = useModel.getState();
  if (!model) return;
  const row = model.folded.rows[foldedRowOfKey(model, key)];
  if (row?.kind === "fold" && rowKeyOf(row) !== key) toggleFold(row.fold);
}

/** Rebuilds the model when its inputs change, and reveals the selection. */
export function followGraph(): void {
  useHost.subscribe(({ repository }, before) => {
    if (before.repository === null || repository?.path === before.repository.path) return;
    forgetChoices();
    useModel.setState({ openFolds: new Set() });
  });
  useGraph.subscribe((state, before) => state.graph !== before.graph && refresh());
  useFilter.subscribe((state, before) => {
    if (state.commits !== before.commits) refresh();
  });
  useSelection.subscribe((state, before) => state.filterHides !== before.filterHides && refresh());
  useSelection.subscribe((state, before) => {
    if (state.selected !== null && state.selected !== before.selected) reveal(state.selected);
  });
}

let laidOut: { readonly model: GraphModel; readonly layout: CanvasLayout } | null = null;

/** Places on the canvas; made only when the canvas is shown, keeping every node that did not move. */
export function canvasOf(model: GraphModel): CanvasLayout {
  if (laidOut?.model === model) return laidOut.layout;
  laidOut = { model, layout: canvasLayout(model.folded, laidOut?.layout) };
  return laidOut.layout;
}
