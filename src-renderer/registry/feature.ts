import type { ComponentType, ReactNode } from "react";
import type { ListedKeys } from "../kit/key-table.ts";
import type { MenuEntry } from "../kit/menu.tsx";
import { hasRepository } from "../state/host-store.ts";
import { showPage, useSelection } from "../state/selection-store.ts";
import type { Action } from "./action.ts";

/**
 * What a folder adds to the window beside the panels that it draws. The list in `app/features.ts` is the one place that
 * knows all of them, so no feature imports another one's actions or menus, nor the window that shows them.
 */
export interface Feature {
  /** For the palette, the keyboard and its help: in this order, after those of the features before. */
  readonly actions?: readonly Action[];
  /** Only in the palette, computed when it opens: what can be done with the selection. */
  readonly commands?: () => readonly Action[];
  /** Keys of parts of the window, for its help: the tables by which they are taken. */
  readonly keys?: readonly ListedKeys[];
  /** Mounted once, over whatever is on screen; each shows itself when it is asked for. */
  readonly dialogs?: readonly ComponentType[];
  readonly changeMenu?: ChangeMenuPart;
  /** In the header, in this order, after those of the features before. */
  readonly pages?: readonly Page[];
  /** Begins to follow what others keep. Called once, before the first event of the host is taken. */
  readonly start?: () => void;
}

/** A part of the menu of a change on the canvas, in the log and in the queue. */
interface ChangeMenuPart {
  /** Ascending. */
  readonly order: number;
  /** None for a change that the feature has nothing to do with. */
  readonly entriesOf: (changeId: string) => readonly MenuEntry[];
}

/** What takes the place of the graph while a user looks at something that is no part of it. */
export interface Page {
  /** Unique among all features. */
  readonly id: string;
  /** Its name on the button in the header, and that of its landmark. */
  readonly title: string;
  readonly icon: ReactNode;
  /** Opens it, and closes it again. */
  readonly keys: string;
  /** Other words that people look for. */
  readonly words: string;
  /** It is opened from the change that it is about, and has no button in the header. */
  readonly isOfOneChange?: boolean;
  readonly Body: ComponentType;
}

/** Opens a page from the palette and by its keys; where it is open already, the graph comes back. */
export const pageAction = ({ id, title, keys, words }: Omit<Page, "icon" | "Body">): Action => ({
  id: `page-${id}`,
  title,
  group: "Go",
  keys,
  words,
  available: hasRepository,
  run: () => showPage(useSelection.getState().page === id ? null : id),
});
