/** What closes gives the focus back to where it was opened, unless it has gone somewhere else by then. */
import { useEffect, useState } from "react";

/** The last focused element of the window itself, outside of dialogs and menus. */
let lastInWindow: Element | null = null;

/** To be called once, before the window is drawn. */
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
