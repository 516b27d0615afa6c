import { useEffect, useRef } from "react";
import { isReplaying, useReplay } from "./replay-store.ts";

/** By the name of the view: its position when a replay started. */
const kept = new Map<string, unknown>();

/** Who leaves a replay finds a view where it was, however far it was moved meanwhile. */
export function useKeptPlace<Place>(name: string, read: () => Place, restore: (place: Place) => void): void {
  const now = useRef({ read, restore });
  now.current = { read, restore };
  useEffect(() => {
    const bringBack = (): void => {
      if (!kept.has(name)) return;
      const place = kept.get(name) as Place;
      kept.delete(name);
      // The graph of now is drawn first, or there is nothing to be moved.
      requestAnimationFrame(() => requestAnimationFrame(() => now.current.restore(place)));
    };
    // Another view was looked at when the replay was left.
    if (!isReplaying()) bringBack();
    return useReplay.subscribe((state, before) => {
      if (state.view && !before.view) kept.set(name, now.current.read());
      if (!state.view && before.view) bringBack();
    });
  }, [name]);
}
