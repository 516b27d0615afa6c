import { GitFork } from "lucide-react";
import type { MenuEntry } from "../../kit/menu.tsx";
import type { Feature } from "../../registry/feature.ts";
import { compareAttempts } from "../../state/attempts-store.ts";
import { attemptActions, attemptAt, chooseAttempt, undoChoice } from "./attempt-actions.ts";
import { AttemptDialogs } from "./attempt-dialogs.tsx";
import { choiceKeys } from "./compare-dialog.tsx";

/** The submenu of a change that is one of several attempts; nothing for any other change. */
function attemptSubmenu(changeId: string): readonly MenuEntry[] {
  const found = attemptAt(changeId);
  if (!found) return [];
  const { worker, group } = found;
  return [
    {
      label: "Attempts",
      icon: <GitFork size={14} />,
      items: [
        { label: "Compare side by side…", onSelect: () => compareAttempts(worker) },
        {
          label: "Choose this one",
          disabled: group.chosen !== null || found.isOut,
          onSelect: () => void chooseAttempt(worker),
        },
        {
          label: "Undo the choice",
          disabled: !group.canUndo,
          onSelect: () => void undoChoice(worker),
        },
      ],
    },
  ];
}

/** Several attempts at one task, of which a person chooses one. */
export const attempts: Feature = {
  actions: attemptActions,
  keys: [choiceKeys],
  dialogs: [AttemptDialogs],
  changeMenu: { order: 1.5, entriesOf: attemptSubmenu },
};
