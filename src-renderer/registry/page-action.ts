import { hasRepository } from "../state/host-store.ts";
import { showPage, useSelection } from "../state/selection-store.ts";
import type { Action } from "./action.ts";
import type { Page } from "./feature.ts";

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
