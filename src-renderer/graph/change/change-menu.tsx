import { Copy, Filter, MoveUpRight, PanelRight, Pencil, Trash2 } from "lucide-react";
import { kinds, priorities, statuses } from "#shared/domain/metadata.ts";
import type { Change } from "#shared/graph/change.ts";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import { KindIcon, kindNames } from "../../kit/kind-icon.tsx";
import type { MenuEntry } from "../../kit/menu.tsx";
import { PriorityIcon } from "../../kit/priority-icon.tsx";
import { StatusIcon, statusNames } from "../../kit/status-icon.tsx";
import { changeMenuEntries } from "../../registry/registry.ts";
import { keyOf } from "../../state/graph-store.ts";
import { inspect, setFilterText } from "../../state/selection-store.ts";
import { abandon, copy, editDescription, setMetadata } from "../model/change-actions.ts";
import { toggleFold } from "../model/graph-model.ts";
import { takeUp } from "../rebase/rebase-store.ts";

/** The menu of a row, the same in both views. */
export const rowMenu = (row: FoldedRow): readonly MenuEntry[] =>
  row.kind === "change"
    ? changeMenu(row.change)
    : [{ label: "Unfold", onSelect: () => toggleFold(row.fold) }];

/** The menu of one change, the same in both views and in the queue. */
export function changeMenu(change: Change): readonly MenuEntry[] {
  const { metadata, immutable } = change;
  const id = keyOf(change);
  const short = id.slice(0, 12);
  return [
    {
      label: "Show in the inspector",
      icon: <PanelRight size={14} />,
      keys: "Enter",
      onSelect: () => inspect(id),
    },
    {
      label: "Edit the description…",
      icon: <Pencil size={14} />,
      keys: "F2",
      disabled: immutable,
      onSelect: () => editDescription(change),
    },
    ...changeMenuEntries(change.changeId),
    "separator",
    ...(immutable
      ? []
      : [
          {
            label: "Status",
            icon: <StatusIcon status={metadata.status ?? "open"} />,
            items: statuses.map((status) => ({
              label: statusNames[status],
              icon: <StatusIcon status={status} />,
              checked: metadata.status === status,
              onSelect: () => void setMetadata(change, { status }),
            })),
          },
          {
            label: "Priority",
            icon: <PriorityIcon priority={metadata.priority ?? "low"} />,
            items: priorities.map((priority) => ({
              label: priority,
              icon: <PriorityIcon priority={priority} />,
              checked: metadata.priority === priority,
              onSelect: () => void setMetadata(change, { priority }),
            })),
          },
          {
            label: "Kind",
            icon: <KindIcon kind={metadata.kind ?? "task"} />,
            items: kinds.map((kind) => ({
              label: kindNames[kind],
              icon: <KindIcon kind={kind} />,
              checked: metadata.kind === kind,
              onSelect: () => void setMetadata(change, { kind }),
            })),
          },
          "separator" as const,
        ]),
    {
      label: "Rebase onto…",
      icon: <MoveUpRight size={14} />,
      disabled: immutable,
      onSelect: () => void takeUp(id, "keyboard"),
    },
    {
      label: "Filter",
      icon: <Filter size={14} />,
      items: [
        { label: "What it stands on", onSelect: () => setFilterText(`::${short}`) },
        { label: "What stands on it", onSelect: () => setFilterText(`${short}::`) },
        ...(metadata.agent
          ? [
              {
                label: `Work of ${metadata.agent}`,
                onSelect: () => setFilterText(`agent("${metadata.agent}")`),
              },
            ]
          : []),
        ...(metadata.kind
          ? [
              {
                label: `Every ${kindNames[metadata.kind]}`,
                onSelect: () => setFilterText(`kind(${metadata.kind})`),
              },
            ]
          : []),
        ...(metadata.run
          ? [{ label: "This run", onSelect: () => setFilterText(`run("${metadata.run}")`) }]
          : []),
      ],
    },
    {
      label: "Copy",
      icon: <Copy size={14} />,
      items: [
        { label: "Change id", onSelect: () => void copy("change id", change.changeId) },
        { label: "Commit id", onSelect: () => void copy("commit id", change.commitId) },
        { label: "Description", onSelect: () => void copy("description", change.description) },
      ],
    },
    "separator",
    {
      label: "Abandon…",
      icon: <Trash2 size={14} />,
      keys: "Delete",
      danger: true,
      disabled: immutable,
      onSelect: () => void abandon(change),
    },
  ];
}
