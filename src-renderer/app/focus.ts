/** Moves the focus between the panels; they are found by their names, not by their order of mounting. */
import { useEffect } from "react";
import { focusWhenLost } from "../kit/focus-soon.ts";
import { graphElement } from "../state/go-to.ts";
import { useHost } from "../state/host-store.ts";

const panes = ["Queue", "Graph panel", "Inspector and inbox", "Operations"];

const pane = (name: string): HTMLElement | null => document.querySelector(`section[aria-label="${name}"]`);

/** The graph goes before the buttons above it, also as the canvas of a run, which is neither grid nor list. */
const main =
  '[role="grid"], [role="listbox"], [aria-label="Graph"], [data-instead-of-graph], [data-queue-card], [role="tab"][aria-selected="true"]';
const anything = 'input, [tabindex="0"], button:not([disabled]), textarea, a[href]';

/** What takes the focus when a panel is gone to: its main part, else whatever can. */
const entrance = (element: HTMLElement): HTMLElement | null =>
  element.querySelector<HTMLElement>(main) ?? element.querySelector<HTMLElement>(anything);

/** F6: the next panel that is on screen and has something to focus. */
export function focusNextPane(): void {
  const present = panes.map(pane).filter((element) => element !== null && entrance(element) !== null);
  const at = present.findIndex((element) => element?.contains(document.activeElement));
  const next = present[(at + 1) % present.length];
  if (next) entrance(next)?.focus();
}

export function focusFilter(): void {
  document.querySelector<HTMLInputElement>("#graph-filter")?.focus();
}

/** Whether keys or a pointer were used last: a program that moves the focus shows no frame to who uses a mouse. */
export function useInputKind(): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    const onKey = (): void => {
      dataset.input = "keys";
    };
    const onPointer = (): void => {
      dataset.input = "pointer";
    };
    addEventListener("keydown", onKey, true);
    addEventListener("pointerdown", onPointer, true);
    return () => {
      removeEventListener("keydown", onKey, true);
      removeEventListener("pointerdown", onPointer, true);
    };
  }, []);
}

/** Nobody begins at nothing: the welcome has the focus on its first thing, an open repository on its graph. */
export function useFirstFocus(): void {
  const place = useHost((state) => state.repository?.path ?? (state.app ? "welcome" : null));
  useEffect(() => {
    if (place === null) return;
    focusWhenLost(() =>
      place === "welcome" ? document.querySelector<HTMLElement>("[data-first-focus]") : graphElement(),
    );
  }, [place]);
}
