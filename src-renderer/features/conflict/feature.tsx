import { Split } from "lucide-react";
import type { Feature, Page } from "../../registry/feature.ts";
import { changeOfKey, useGraph } from "../../state/graph-store.ts";
import { useSelection } from "../../state/selection-store.ts";
import { conflictKeys } from "./conflict-keys.ts";
import { ConflictPage } from "./conflict-page.tsx";
import { conflictPage, showConflict } from "./conflict-store.ts";

const page: Page = {
  id: conflictPage,
  title: "Conflict",
  icon: <Split size={15} />,
  keys: "",
  words: "",
  isOfOneChange: true,
  Body: ConflictPage,
};

const isInConflict = (changeId: string | null): changeId is string => {
  const { graph } = useGraph.getState();
  return changeId !== null && graph !== null && (changeOfKey(graph, changeId)?.conflict ?? false);
};

/** Conflicts seen and settled where they are. */
export const conflict: Feature = {
  pages: [page],
  keys: [conflictKeys],
  actions: [
    {
      id: "settle-conflict",
      title: "Resolve the conflict of the selected change…",
      group: "Repository",
      words: "resolve merge sides base markers",
      available: () => isInConflict(useSelection.getState().selected),
      run: () => {
        const { selected } = useSelection.getState();
        if (isInConflict(selected)) showConflict(selected);
      },
    },
  ],
  changeMenu: {
    order: 0,
    entriesOf: (changeId) =>
      isInConflict(changeId)
        ? [
            {
              label: "Resolve the conflict…",
              icon: <Split size={14} />,
              onSelect: () => showConflict(changeId),
            },
          ]
        : [],
  },
};
