import { Copy, Filter, MoveUpRight, PanelRight, Pencil, Trash2 } from "lucide-react";
import type { MetadataPatch } from "#shared/domain/change-metadata/metadata.ts";
import type { Change } from "#shared/graph/change.ts";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import type { MenuEntry } from "../../kit/menu.tsx";
import {
  KindIcon,
  kindEntries,
  kindNames,
  PriorityIcon,
  priorityEntries,
  StatusIcon,
  statusEntries,
} from "../../kit/status-icon.tsx";
import { changeMenuEntries, withRefusals } from "../../registry/registry.ts";
import { keyOf } from "../../state/graph-store.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { inspect, setFilterText } from "../../state/selection-store.ts";
import { abandon, copy, editDescription, setMetadata } from "../model/change-actions.ts";
import { toggleFold } from "../model/graph-model.ts";
import { takeUp } from "../rebase/rebase-store.ts";

/** The menu of a row, the same in both views. */
export const rowMenu = (row: FoldedRow): readonly MenuEntry[] =>
  row.kind === "change"
    ? changeMenu(row.change)
    : [{ label: "Expand", onSelect: () => toggleFold(row.fold) }];

/** The menu of one change, the same in both views and in the queue. In a recording there is only what looks. */
export function changeMenu(change: Change): readonly MenuEntry[] {
  const show: MenuEntry = {
    label: "Show in the inspector",
    icon: <PanelRight size={14} />,
    keys: "Enter",
    onSelect: () => inspect(keyOf(change)),
  };
  const looks: readonly MenuEntry[] = [
    ...(isReplaying() ? [] : [{ label: "Filter", icon: <Filter size={14} />, items: filterEntries(change) }]),
    {
      label: "Copy",
      icon: <Copy size={14} />,
      items: [
        { label: "Change ID", onSelect: () => void copy("change ID", change.changeId) },
        { label: "Commit ID", onSelect: () => void copy("commit ID", change.commitId) },
        { label: "Description", onSelect: () => void copy("description", change.description) },
      ],
    },
  ];
  return isReplaying() ? [show, ...looks] : withRefusals([show, ...changingEntries(change, looks)]);
}

function changingEntries(change: Change, looks: readonly MenuEntry[]): readonly MenuEntry[] {
  const { immutable } = change;
  return [
    {
      label: "Edit the description…",
      icon: <Pencil size={14} />,
      keys: "F2",
      command: "change.describe",
      disabled: immutable,
      onSelect: () => editDescription(change),
    },
    ...changeMenuEntries(change.changeId),
    "separator",
    ...(immutable ? [] : [...metadataMenus(change), "separator" as const]),
    {
      label: "Rebase onto…",
      icon: <MoveUpRight size={14} />,
      command: "change.rebase",
      disabled: immutable,
      onSelect: () => void takeUp(keyOf(change), "keyboard"),
    },
    ...looks,
    "separator",
    {
      label: "Abandon…",
      icon: <Trash2 size={14} />,
      keys: "Delete",
      command: "change.abandon",
      danger: true,
      disabled: immutable,
      onSelect: () => void abandon(change),
    },
  ];
}

/** What can be set of a change that can be rewritten. */
function metadataMenus(change: Change): readonly MenuEntry[] {
  const { status, priority, kind } = change.metadata;
  const set = (patch: MetadataPatch): void => void setMetadata(change, patch);
  return [
    {
      label: "Status",
      command: "change.setMetadata",
      icon: <StatusIcon status={status ?? "open"} />,
      items: statusEntries(status, (next) => set({ status: next })),
    },
    {
      label: "Priority",
      command: "change.setMetadata",
      icon: <PriorityIcon priority={priority ?? "low"} />,
      items: priorityEntries(priority, (next) => set({ priority: next })),
    },
    {
      label: "Kind",
      command: "change.setMetadata",
      icon: <KindIcon kind={kind ?? "task"} />,
      items: kindEntries(kind, (next) => set({ kind: next })),
    },
  ];
}

/** Filters that begin at this change. */
function filterEntries(change: Change): readonly MenuEntry[] {
  const { agent, kind, run } = change.metadata;
  const short = keyOf(change).slice(0, 12);
  const entry = (label: string, revset: string): MenuEntry => ({
    label,
    onSelect: () => setFilterText(revset),
  });
  return [
    entry("Ancestors", `::${short}`),
    entry("Descendants", `${short}::`),
    ...(agent ? [entry(`Work of ${agent}`, `agent("${agent}")`)] : []),
    ...(kind ? [entry(`Every ${kindNames[kind]}`, `kind(${kind})`)] : []),
    ...(run ? [entry("This run", `run("${run}")`)] : []),
  ];
}
