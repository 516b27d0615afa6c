import type { MenuEntry } from "./menu.tsx";

/** A menu that was opened, and where. */
export interface OpenMenu {
  readonly at: { readonly x: number; readonly y: number };
  readonly entries: readonly MenuEntry[];
}
