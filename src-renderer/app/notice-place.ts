/** Where words lie that come by themselves: on nothing that a person may be about to press. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Control extends Box {
  /** How much worse it is to cover it than another one. */
  readonly weight: number;
}

export interface Place {
  readonly left: number;
  readonly top: number;
  /** 0: nothing lies below it. */
  readonly cost: number;
}

const stepPx = 8;

/** px² of what two boxes share. */
const shared = (one: Box, other: Box): number =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));

/** Whether it lies in the region and on no control. */
export const isClear = (box: Box, region: Box, controls: readonly Control[]): boolean =>
  box.left >= region.left &&
  box.top >= region.top &&
  box.right <= region.right &&
  box.bottom <= region.bottom &&
  controls.every((control) => shared(control, box) === 0);

/** The lowest place in a region that covers no control, of those the leftmost; where all do, the one that covers least. */
export function clearPlace(
  region: Box,
  { width, height }: { readonly width: number; readonly height: number },
  controls: readonly Control[],
): Place {
  const near = controls.filter((control) => shared(control, region) > 0);
  let best: Place | null = null;
  for (let top = region.bottom - height; best === null || top >= region.top; top -= stepPx) {
    for (let left = region.left; left === region.left || left + width <= region.right; left += stepPx) {
      const box = { left, top, right: left + width, bottom: top + height };
      const cost = near.reduce((sum, control) => sum + control.weight * shared(control, box), 0);
      if (best === null || cost < best.cost) best = { left, top, cost };
      if (best.cost === 0) return best;
    }
  }
  return best;
}
