import { partOfKey, planPartMenu } from "../features/plan/plan-actions.ts";
import { type Action, menuCommands } from "../registry/action.ts";
import type { Feature } from "../registry/feature.ts";
import { changeOfKey, useGraph } from "../state/graph-store.ts";
import { useSelection } from "../state/selection-store.ts";
import { mapKeys } from "./canvas/use-map-zoom.ts";
import { changeMenu } from "./change/change-menu.tsx";
import { graphKeys } from "./change/graph-keys.ts";
import { followFilter } from "./model/filter-store.ts";
import { followGraph } from "./model/graph-model.ts";
import { planKeys, planLinkKeys } from "./plan/use-plan-keys.ts";
import { runCanvasKeys } from "./run-canvas/use-run-canvas-keys.ts";

/** The menu of the selected change, or of the selected part of a plan. */
function selectedCommands(): readonly Action[] {
  const { selected } = useSelection.getState();
  const { graph: changes } = useGraph.getState();
  if (selected === null) return [];
  const part = partOfKey(selected);
  if (part !== null) return menuCommands(planPartMenu(part));
  const change = changes && changeOfKey(changes, selected);
  return change ? menuCommands(changeMenu(change)) : [];
}

/** The graph, as a log and as a canvas. */
export const graph: Feature = {
  commands: selectedCommands,
  keys: [graphKeys, mapKeys, runCanvasKeys, planKeys, planLinkKeys],
  start: () => {
    followGraph();
    followFilter();
  },
};
