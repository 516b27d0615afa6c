/** The choices of a change's or a task's metadata, for every menu that offers them. */
import {
  type Kind,
  kinds,
  type Priority,
  priorities,
  type Status,
  statuses,
} from "#shared/domain/graph-words/metadata.ts";
import { KindIcon, kindNames } from "./kind-icon.tsx";
import type { MenuEntry } from "./menu.tsx";
import { PriorityIcon } from "./priority-icon.tsx";
import { StatusIcon, statusNames } from "./status-icon.tsx";

export const statusEntries = (
  chosen: Status | undefined,
  onChoose: (status: Status) => void,
): readonly MenuEntry[] =>
  statuses.map((status) => ({
    label: statusNames[status],
    icon: <StatusIcon status={status} />,
    checked: status === chosen,
    onSelect: () => onChoose(status),
  }));

export const priorityEntries = (
  chosen: Priority | undefined,
  onChoose: (priority: Priority) => void,
): readonly MenuEntry[] =>
  priorities.map((priority) => ({
    label: priority,
    icon: <PriorityIcon priority={priority} />,
    checked: priority === chosen,
    onSelect: () => onChoose(priority),
  }));

export const kindEntries = (chosen: Kind | undefined, onChoose: (kind: Kind) => void): readonly MenuEntry[] =>
  kinds.map((kind) => ({
    label: kindNames[kind],
    icon: <KindIcon kind={kind} />,
    checked: kind === chosen,
    onSelect: () => onChoose(kind),
  }));
