/** What the features of this window have registered. */
import type { ComponentType } from "react";
import type { ListedKeys } from "../kit/key-table.ts";
import type { MenuEntry } from "../kit/menu.tsx";
import { useHost } from "../state/host-store.ts";
import { isReplaying } from "../state/replay-store.ts";
import { refusalOf } from "../state/role.ts";
import type { Action } from "./action.ts";
import type { Feature, Page } from "./feature.ts";

interface Registered {
  readonly actions: readonly Action[];
  readonly commands: readonly NonNullable<Feature["commands"]>[];
  readonly keys: readonly ListedKeys[];
  readonly dialogs: readonly ComponentType[];
  readonly changeMenu: readonly NonNullable<Feature["changeMenu"]>[];
  readonly pages: readonly Page[];
}

const collected = (features: readonly Feature[]): Registered => ({
  actions: features.flatMap((feature) => feature.actions ?? []),
  commands: features.flatMap((feature) => feature.commands ?? []),
  keys: features.flatMap((feature) => feature.keys ?? []),
  dialogs: features.flatMap((feature) => feature.dialogs ?? []),
  changeMenu: features
    .flatMap((feature) => feature.changeMenu ?? [])
    .sort((one, other) => one.order - other.order),
  pages: features.flatMap((feature) => feature.pages ?? []),
});

let registered = collected([]);

/** Called once, before the window is drawn. */
export function registerFeatures(features: readonly Feature[]): void {
  registered = collected(features);
  for (const feature of features) feature.start?.();
}

/** Everything that the window can do, in the order of its help. */
export const registeredActions = (): readonly Action[] => registered.actions;

/** What the palette offers: every action that can be done now, and what the menu of what is selected offers. */
export const paletteCommands = (): readonly Action[] => [
  ...registered.actions.filter((action) => action.id !== "palette" && isAvailable(action)),
  ...registered.commands.flatMap((commandsNow) => commandsNow().filter(isAvailable)),
];

/** The keys of the parts of the window, in the order of its help. */
export const registeredKeys = (): readonly ListedKeys[] => registered.keys;

export const registeredDialogs = (): readonly ComponentType[] => registered.dialogs;

export const registeredPages = (): readonly Page[] => registered.pages;

/** What the features add to the menu of a change. */
export const changeMenuEntries = (changeId: string): readonly MenuEntry[] =>
  registered.changeMenu.flatMap(({ entriesOf }) => entriesOf(changeId));

/** Why the role of this window's person does not allow an action; null: it does. */
export const refusalOfAction = ({ command }: Action): string | null =>
  command === undefined ? null : refusalOf(useHost.getState(), command);

/** Entries of which those are disabled that the role of this window's person does not allow; their tooltip says why. */
export const withRefusals = (entries: readonly MenuEntry[]): readonly MenuEntry[] =>
  entries.map((entry) => {
    if (entry === "separator") return entry;
    const refusal = entry.command === undefined ? null : refusalOf(useHost.getState(), entry.command);
    if (refusal !== null)
      return {
        label: entry.label,
        icon: entry.icon,
        disabled: true,
        title: refusal,
        onSelect: () => undefined,
      };
    return "items" in entry ? { ...entry, items: withRefusals(entry.items) } : entry;
  });

/** In a replay nothing can be changed: what does that is not offered. */
const changing: readonly Action["group"][] = ["Run", "Repository"];

export const isAvailable = (action: Action): boolean =>
  (action.available?.() ?? true) && !(isReplaying() && changing.includes(action.group));
