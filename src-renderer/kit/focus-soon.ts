/** The focus goes to what was asked for, which is often not on screen yet. */

const frameMs = 16;
/** A dialog that closes gives the focus back by itself in the frames after; what was asked for comes after that. */
const framesFirst = 3;
const framesAtMost = 90;

let newest = 0;
/** What was asked for last is still looked for. */
let isLooking = false;

/** Focuses what is found within the next moments; only the last that was asked for. */
export function focusSoon(find: () => HTMLElement | null): void {
  newest += 1;
  const mine = newest;
  isLooking = true;
  let frames = 0;
  const look = (): void => {
    if (mine !== newest) return;
    frames += 1;
    const found = frames > framesFirst ? find() : null;
    isLooking = found === null && frames < framesAtMost;
    if (found) found.focus();
    else if (isLooking) setTimeout(look, frameMs);
  };
  setTimeout(look, frameMs);
}

/** Focuses it where nothing has the focus then. */
export const focusWhenLost = (find: () => HTMLElement | null): void =>
  focusSoon(() => (isLost() ? find() : null));

/** The same where nobody asked for anything else: for what goes away by itself and leaves something in its place. */
export function keepFocus(find: () => HTMLElement | null): void {
  if (!isLooking) focusWhenLost(find);
}

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body;
