import { create } from "zustand";

/** What the pointer is on while the map is far away: its name is written there, however small it is. */
export const usePointedRow = create<{ readonly key: string | null }>(() => ({ key: null }));

export function pointAt(key: string | null): void {
  if (usePointedRow.getState().key !== key) usePointedRow.setState({ key });
}
