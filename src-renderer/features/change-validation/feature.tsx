import { Scale } from "lucide-react";
import type { Feature } from "../../registry/feature.ts";
import { openValidation } from "../../state/change-validation.ts";
import { changeOfKey, isRoot, useGraph } from "../../state/graph-store.ts";
import { useSelection } from "../../state/selection-store.ts";
import { ValidateDialog } from "./validate-dialog.tsx";

/** A change that can be judged: on the graph, and not jj's root. */
function isThere(changeId: string | null): changeId is string {
  const { graph } = useGraph.getState();
  const change = changeId === null || graph === null ? null : changeOfKey(graph, changeId);
  return change !== null && !isRoot(change);
}

/** The panel judges any change, without a run. */
export const changeValidation: Feature = {
  actions: [
    {
      id: "validate-change",
      title: "Validate the selected change…",
      group: "Go",
      words: "judge panel votes verdict review seats",
      available: () => isThere(useSelection.getState().selected),
      run() {
        const { selected } = useSelection.getState();
        if (isThere(selected)) openValidation(selected);
      },
    },
  ],
  dialogs: [ValidateDialog],
  changeMenu: {
    order: 4,
    entriesOf: (changeId) =>
      isThere(changeId)
        ? [
            {
              label: "Validate this change…",
              icon: <Scale size={14} />,
              onSelect: () => openValidation(changeId),
            },
          ]
        : [],
  },
};
