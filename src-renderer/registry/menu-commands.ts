import type { MenuEntry } from "../kit/menu.tsx";
import type { Action } from "./action.ts";

/**
 * What a menu offers, as commands of the palette: what leads to a submenu stands before what is in it, and what cannot be
 * chosen now is left out.
 */
export const menuCommands = (entries: readonly MenuEntry[], above = ""): readonly Action[] =>
  entries.flatMap((entry): readonly Action[] => {
    if (entry === "separator") return [];
    const title = `${above}${entry.label}`;
    if ("items" in entry) return menuCommands(entry.items, `${title}: `);
    if (entry.disabled || entry.checked) return [];
    const { keys, onSelect } = entry;
    return [{ id: `menu-${title}`, title, group: "Selected", ...(keys ? { keys } : {}), run: onSelect }];
  });
