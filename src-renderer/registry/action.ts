import type { CommandName } from "#shared/contract/commands.ts";
import type { MenuEntry } from "../kit/menu.tsx";

/** One thing that the window can do: a line of the palette, a key, or both. */
export interface Action {
  readonly id: string;
  readonly title: string;
  readonly group: "Selected" | "Go" | "View" | "Repository" | "Run" | "App" | "Agents" | "Runs";
  readonly keys?: string;
  /** The current state of what it leads to. */
  readonly detail?: string;
  /** Other words that people look for. */
  readonly words?: string;
  /** True when the keys work while typing in a field. */
  readonly whileTyping?: boolean;
  /** What it asks of the host. Where the role of this window's person does not allow that, it is disabled. */
  readonly command?: CommandName;
  readonly available?: () => boolean;
  readonly run: () => void;
}

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
