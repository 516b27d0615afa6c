/** Marks something on the screen for a moment, without touching the focus. */
const shownMs = 2_400;
const lookMs = 60;
const looks = 40;

export function pointAt(find: () => HTMLElement | null): void {
  let left = looks;
  const look = (): void => {
    const found = find();
    if (found === null) {
      left -= 1;
      if (left > 0) setTimeout(look, lookMs);
      return;
    }
    found.scrollIntoView({ block: "nearest", inline: "nearest" });
    found.dataset.pointed = "";
    setTimeout(() => delete found.dataset.pointed, shownMs);
  };
  setTimeout(look, lookMs);
}
