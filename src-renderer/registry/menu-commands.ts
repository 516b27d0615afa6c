import type { MenuEntry } from "../kit/menu.tsx";
import type { Action } from "./action.ts";

/**
 * The entries of a menu as palette commands: the title of a submenu comes before those of its entries, and disabled ones
 * are left out.
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
