import type { Page } from "playwright";

/** A frame as the page saw it: when it began (ms since 1970), and how long after the one before (ms). */
export interface Frame {
  readonly at: number;
  readonly took: number;
}

/** The frames of the page while something happens to it. */
export async function framesDuring(page: Page, act: () => Promise<void>): Promise<readonly Frame[]> {
  await page.evaluate(`
    globalThis.frames = [];
    globalThis.counting = true;
    let last = performance.now();
    const step = (at) => {
      globalThis.frames.push({ at: performance.timeOrigin + at, took: at - last });
      last = at;
      if (globalThis.counting) requestAnimationFrame(step);
    };
    requestAnimationFrame((at) => { last = at; requestAnimationFrame(step); });
  `);
  await act();
  return (await page.evaluate("globalThis.counting = false; globalThis.frames")) as Frame[];
}

export const lengthsOf = (frames: readonly Frame[]): readonly number[] => frames.map(({ took }) => took);
