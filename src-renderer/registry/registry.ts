/** What the features of this window have registered. */
import type { ComponentType } from "react";
import type { MenuEntry } from "../kit/menu.tsx";
import type { Action } from "./action.ts";
import type { Feature } from "./feature.ts";

interface Registered {
  readonly actions: readonly Action[];
  readonly dialogs: readonly ComponentType[];
  readonly changeMenu: readonly NonNullable<Feature["changeMenu"]>[];
}

const collected = (features: readonly Feature[]): Registered => ({
  actions: features.flatMap((feature) => feature.actions ?? []),
  dialogs: features.flatMap((feature) => feature.dialogs ?? []),
  changeMenu: features
    .flatMap((feature) => feature.changeMenu ?? [])
    .sort((one, other) => one.order - other.order),
});

let registered = collected([]);

/** Called once, before the window is drawn. */
export function registerFeatures(features: readonly Feature[]): void {
  registered = collected(features);
  for (const feature of features) feature.start?.();
}

/** Everything that the window can do, in the order of its help. */
export const registeredActions = (): readonly Action[] => registered.actions;

export const registeredDialogs = (): readonly ComponentType[] => registered.dialogs;

/** What the features add to the menu of a change. */
export const changeMenuEntries = (changeId: string): readonly MenuEntry[] =>
  registered.changeMenu.flatMap(({ entriesOf }) => entriesOf(changeId));

export const isAvailable = (action: Action): boolean => action.available?.() ?? true;
