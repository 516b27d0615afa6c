import { ExternalLink, FolderOpen, PencilLine, SquareTerminal } from "lucide-react";
import { type OpenerKind, openerKinds } from "#shared/domain/open-in/opener.ts";
import type { MenuEntry } from "../../kit/menu.tsx";
import type { Action } from "../../registry/action.ts";
import type { Feature } from "../../registry/feature.ts";
import { changeOfKey, useGraph } from "../../state/graph-store.ts";
import { openerNames, openIn } from "../../state/open-in.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { useSelection } from "../../state/selection-store.ts";
import { ElsewhereDialog } from "./elsewhere-dialog.tsx";

const icons: Readonly<Record<OpenerKind, React.ReactNode>> = {
  editor: <PencilLine size={14} />,
  terminal: <SquareTerminal size={14} />,
  files: <FolderOpen size={14} />,
};
const labels: Readonly<Record<OpenerKind, string>> = {
  editor: "Editor",
  terminal: "Terminal",
  files: "File manager",
};
const keysOf: Readonly<Record<OpenerKind, string>> = {
  editor: "alt+e",
  terminal: "alt+t",
  files: "alt+f",
};

/** A recording has files of nobody's machine. */
const selectedChange = (): string | null => {
  const { selected } = useSelection.getState();
  const { graph } = useGraph.getState();
  if (selected === null || graph === null || isReplaying()) return null;
  return changeOfKey(graph, selected)?.changeId ?? null;
};

const entriesOf = (changeId: string): readonly MenuEntry[] => [
  {
    label: "Open in",
    icon: <ExternalLink size={14} />,
    items: openerKinds.map((kind) => ({
      label: labels[kind],
      icon: icons[kind],
      keys: keysOf[kind],
      onSelect: () => openIn(kind, changeId),
    })),
  },
];

const actions: readonly Action[] = openerKinds.map((kind) => ({
  id: `open-in-${kind}`,
  title: `Open the selected change in the ${openerNames[kind]}`,
  group: "Selected",
  keys: keysOf[kind],
  words: "folder files path code shell reveal show workspace",
  available: () => selectedChange() !== null,
  run: () => {
    const changeId = selectedChange();
    if (changeId !== null) openIn(kind, changeId);
  },
}));

/** A change's files in the person's own programs. */
export const openInPrograms: Feature = {
  actions,
  dialogs: [ElsewhereDialog],
  changeMenu: { order: 0.5, entriesOf },
};
