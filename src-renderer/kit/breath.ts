/**
 * Whatever thinks breathes, all in one rhythm: the window has one breath, and style sheets draw it. An animation of each
 * sign alone would have one layer each, all redrawn in every frame: with fifty agents a whole processor.
 */

/** Down and up again; a style sheet knows how deep each is. */
const depths = [0, 1, 2, 3, 4, 3, 2, 1] as const;
const breathMs = 1_600;

export function keepBreathing(): void {
  const root = document.documentElement;
  const breathing = document.getElementsByClassName("breathe");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let step = 0;
  setInterval(() => {
    if (document.visibilityState === "hidden") return;
    const isStill = breathing.length === 0 || still.matches;
    step = isStill ? 0 : (step + 1) % depths.length;
    const depth = String(depths[step] ?? 0);
    if (root.dataset.breath !== depth) root.dataset.breath = depth;
  }, breathMs / depths.length);
}
