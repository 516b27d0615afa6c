/** In a narrow window the right side is a drawer over the graph: what opens it is a person, never an event. */
import { type KeyboardEvent, useLayoutEffect } from "react";
import { focusWhenLost } from "../kit/focus-soon.ts";
import { isTyping } from "../kit/keyboard.ts";
import { frontElement } from "../state/go-to.ts";
import { setNarrow, togglePanel } from "../state/selection-store.ts";

const narrow = "(max-width: 860px)";

/** Keeps the selection told of how much room there is. */
export function useNarrowness(): void {
  useLayoutEffect(() => {
    const query = matchMedia(narrow);
    const tell = (): void => setNarrow(query.matches);
    tell();
    query.addEventListener("change", tell);
    return () => query.removeEventListener("change", tell);
  }, []);
}

/** Escape leaves the drawer, where nothing in it takes the key for itself. */
export function closeDrawer(event: KeyboardEvent<HTMLElement>): void {
  // A menu or dialog that was opened from it is no part of it on the page.
  const isInside = event.target instanceof Node && event.currentTarget.contains(event.target);
  if (event.key !== "Escape" || event.defaultPrevented || !isInside || isTyping(event.target)) return;
  event.preventDefault();
  togglePanel("showRight");
  focusWhenLost(frontElement);
}
