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

const entriesOf =
  <Value extends string>(
    values: readonly Value[],
    look: (value: Value) => Pick<Exclude<MenuEntry, "separator">, "label" | "icon">,
  ) =>
  (chosen: Value | undefined, onChoose: (value: Value) => void): readonly MenuEntry[] =>
    values.map((value) => ({
      ...look(value),
      checked: value === chosen,
      onSelect: () => onChoose(value),
    }));

export const statusEntries = entriesOf<Status>(statuses, (status) => ({
  label: statusNames[status],
  icon: <StatusIcon status={status} />,
}));

export const priorityEntries = entriesOf<Priority>(priorities, (priority) => ({
  label: priority,
  icon: <PriorityIcon priority={priority} />,
}));

export const kindEntries = entriesOf<Kind>(kinds, (kind) => ({
  label: kindNames[kind],
  icon: <KindIcon kind={kind} />,
}));
