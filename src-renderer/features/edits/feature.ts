import type { Feature } from "../../registry/feature.ts";
import { followEdits, goThroughHistory, newestEdit } from "../../state/undo-and-redo.ts";

/** What a user changed by hand, taken back and done again. */
export const edits: Feature = {
  actions: [
    {
      id: "undo",
      title: "Undo the last edit",
      group: "Repository",
      keys: "mod+z",
      words: "revert graph queue plan",
      available: () => newestEdit("undo") !== null,
      run: () => void goThroughHistory("undo"),
    },
    {
      id: "redo",
      title: "Redo the last undone edit",
      group: "Repository",
      keys: "mod+shift+z",
      words: "redo repeat",
      available: () => newestEdit("redo") !== null,
      run: () => void goThroughHistory("redo"),
    },
  ],
  start: followEdits,
};
