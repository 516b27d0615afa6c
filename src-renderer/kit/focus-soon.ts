/** The focus goes to what was asked for, which is often not on screen yet. */
import { useEffect, useState } from "react";

const frameMs = 16;
/** A closing dialog returns the focus within some frames; a requested focus is set after that. */
const framesFirst = 3;
const framesAtMost = 90;

let newest = 0;
/** What was asked for last is still looked for. */
let isLooking = false;

/** Focuses what is found within the next moments; only the last that was asked for. */
export const focusSoon = (find: () => HTMLElement | null): void => lookFor(find, () => false);

/** Until it is found, or something has the focus that keeps it. */
function lookFor(find: () => HTMLElement | null, isKept: () => boolean): void {
  newest += 1;
  const mine = newest;
  isLooking = true;
  let frames = 0;
  const look = (): void => {
    if (mine !== newest) return;
    frames += 1;
    const isTime = frames > framesFirst;
    const found = isTime ? find() : null;
    isLooking = found === null && frames < framesAtMost && !(isTime && isKept());
    if (found) found.focus();
    else if (isLooking) setTimeout(look, frameMs);
  };
  setTimeout(look, frameMs);
}

/** Focuses it where nothing has the focus then. Whoever has it keeps it: what loses it later is none of this. */
export const focusWhenLost = (find: () => HTMLElement | null): void =>
  lookFor(
    () => (isLost() ? find() : null),
    () => !isLost() && !isOverWindow(),
  );

/** The same unless another focus was requested: for something that disappears and is replaced. */
export function keepFocus(find: () => HTMLElement | null): void {
  if (!isLooking) focusWhenLost(find);
}

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body;

const overWindow = '[data-base-ui-portal], section[aria-label="Notifications"]';

/** In a dialog, menu or notification, which closes on its own and may take the focus with it. */
const isOverWindow = (): boolean => document.activeElement?.closest(overWindow) != null;

/** The last focused element of the window itself, outside of dialogs and menus. */
let lastInWindow: Element | null = null;

/**
 * For `useReturnedFocus`: to be called once, before the window is drawn.
 */
export function followFocus(): void {
  addEventListener("focusin", ({ target }) => {
    if (target instanceof Element && !target.closest("[data-base-ui-portal]")) lastInWindow = target;
  });
}

const canFocus = (element: Element | null): element is HTMLElement =>
  element instanceof HTMLElement && element.isConnected && element !== document.body;

function giveBack(opener: Element | null): void {
  // After whatever closed it has had its own say; a way to somewhere else comes later and goes before.
  setTimeout(() => {
    const { activeElement } = document;
    const isLost =
      activeElement === null || activeElement === document.body || activeElement.closest("[data-closed]");
    if (!isLost) return;
    // What was opened from a menu has nothing to go back to but what the menu was opened from.
    [opener, lastInWindow].find(canFocus)?.focus();
  });
}

/**
 * For a dialog whose own first field takes the focus as it is drawn: the library's own return (`finalFocus`) looks too
 * late at who had the focus before, and may return it to an earlier opener.
 */
export function useReturnedFocus(isOpen: boolean): void {
  const [seen, setSeen] = useState<{ readonly isOpen: boolean; readonly opener: Element | null }>({
    isOpen: false,
    opener: null,
  });
  if (seen.isOpen !== isOpen) setSeen({ isOpen, opener: isOpen ? document.activeElement : null });
  const { opener } = seen;
  useEffect(() => (isOpen ? () => giveBack(opener) : undefined), [isOpen, opener]);
}
