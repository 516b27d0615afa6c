import { FileDiff } from "lucide-react";
import type { Feature, Page } from "../../registry/feature.ts";
import { useSelection } from "../../state/selection-store.ts";
import { diffKeys } from "./diff-keys.ts";
import { DiffPage } from "./diff-page.tsx";
import { diffPage, showDiff } from "./diff-store.ts";

const page: Page = {
  id: diffPage,
  title: "Diff",
  icon: <FileDiff size={15} />,
  keys: "",
  words: "",
  isOfOneChange: true,
  Body: DiffPage,
};

/** A change read over the graph. */
export const diff: Feature = {
  pages: [page],
  keys: [diffKeys],
  actions: [
    {
      id: "wide-diff",
      title: "Open the diff of the selected change",
      group: "View",
      keys: "alt+r",
      words: "wide files review code lines",
      // Who writes about a change looks it up on the way.
      whileTyping: true,
      available: () => useSelection.getState().selected !== null,
      run: () => {
        const { selected } = useSelection.getState();
        if (selected !== null) showDiff(selected);
      },
    },
  ],
  changeMenu: {
    order: 0,
    entriesOf: (changeId) => [
      {
        label: "Open the diff",
        icon: <FileDiff size={14} />,
        keys: "alt+r",
        onSelect: () => showDiff(changeId),
      },
    ],
  },
};
