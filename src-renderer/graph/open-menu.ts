import type { MenuEntry } from "../kit/menu.tsx";

export interface OpenMenu {
  readonly at: { readonly x: number; readonly y: number };
  readonly entries: readonly MenuEntry[];
}
