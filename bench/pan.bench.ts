import type { Page } from "playwright";
import { openApp, painted, playgroundWith } from "./app-in-browser.ts";
import { framesDuring, lengthsOf } from "./frames.ts";
import { type Bench, percentile, type Row, row } from "./row.ts";

const changes = 10_000;
const panMs = 2_500;
/** Seen at this number of positions, the map moves. */
const minPositions = 5;
/** For what moves at all, on a slow and busy machine. */
const ceilingMs = 120_000;
/** Clicks on "Smaller" before each measurement: from reading size to the whole graph. */
const zooms = [0, 2, 4, 6];

async function pointAtMap(page: Page): Promise<void> {
  const box = await page.getByRole("listbox", { name: "Graph" }).boundingBox();
  if (!box) throw new Error("The map is not on screen.");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
}

/**
 * Moves the map to and fro in many small steps, for some time and for as long as it takes to be seen in several
 * places: a map that did not move measured nothing, and a slow machine takes few steps in any time.
 */
async function pan(page: Page): Promise<void> {
  await pointAtMap(page);
  const begun = performance.now();
  const places = new Set<string>();
  for (let at = 0; performance.now() < begun + panMs || places.size < minPositions; at++) {
    if (performance.now() > begun + ceilingMs)
      throw new Error(`The map did not move: after ${at} steps it was at ${[...places].join(" and ")}.`);
    await page.mouse.wheel(22 * Math.cos(at / 17), 90 * Math.cos(at / 29) + 12);
    if (at % 10 === 0) places.add(await placeOf(page));
  }
}

/** Zooms in and out, and waits until the map shows it. */
async function zoom(page: Page): Promise<void> {
  await pointAtMap(page);
  const before = await placeOf(page);
  await page.keyboard.down("Control");
  for (let at = 0; at < 60; at++) await page.mouse.wheel(0, at % 30 < 20 ? -40 : 40);
  await page.keyboard.up("Control");
  const deadline = performance.now() + ceilingMs;
  while ((await placeOf(page)) === before)
    if (performance.now() > deadline) throw new Error("The map was not zoomed.");
}

/** Waits until nothing moves the map any more. */
async function settled(page: Page): Promise<void> {
  const deadline = performance.now() + ceilingMs;
  for (let before = ""; ; ) {
    const place = await placeAfterFrames(page, 5);
    if (place === before) return;
    if (performance.now() > deadline) throw new Error(`The map does not come to rest: it is at ${place}.`);
    before = place;
  }
}

const viewport = 'document.querySelector(".react-flow__viewport").style.transform';
const placeOf = async (page: Page): Promise<string> => String(await page.evaluate(viewport));
const placeAfterFrames = async (page: Page, frames: number): Promise<string> =>
  String(
    await page.evaluate(`new Promise((resolve) => {
      const wait = (left) => left === 0 ? resolve(${viewport}) : requestAnimationFrame(() => wait(left - 1));
      wait(${frames});
    })`),
  );

const measured = (what: string, frames: readonly number[]): Row[] => {
  const median = percentile(frames, 50);
  const high = percentile(frames, 95);
  return [
    row({ name: `${what}, median frame`, value: median, unit: "ms", hold: "≤ 17 ms", ok: median <= 17 }),
    row({ name: `${what}, p95 frame`, value: high, unit: "ms", hold: "≤ 25 ms", ok: high <= 25 }),
  ];
};

const bench: Bench = {
  name: "pan",
  async *run() {
    // Nearly everything mutable: nothing is folded away, all of it is on the map.
    const { playground, root } = await playgroundWith({ changes, mutable: 0.95 });
    const app = await openApp(playground, root);
    try {
      const { page } = app;
      await painted(page);
      await page.getByRole("button", { name: "Canvas" }).click();
      await page.getByRole("button", { name: "Show the changes as a map" }).click();
      await page.getByRole("listbox", { name: "Graph" }).waitFor();
      await settled(page);
      const idle = lengthsOf(await framesDuring(page, () => page.waitForTimeout(1_000)));
      yield row({
        name: "nothing happens, median frame",
        value: percentile(idle, 50),
        unit: "ms",
        hold: "what this machine can draw",
        ok: true,
      });
      let clicks = 0;
      for (const zoom of zooms) {
        for (; clicks < zoom; clicks++) await page.getByRole("button", { name: "Smaller" }).click();
        await settled(page);
        const scale = /scale\(([\d.]+)\)/u.exec(await placeOf(page))?.[1] ?? "?";
        const frames = lengthsOf(await framesDuring(page, () => pan(page)));
        yield* measured(`pan 10,000 changes at zoom ${Number(scale).toFixed(2)}`, frames);
      }
      const zooming = lengthsOf(await framesDuring(page, () => zoom(page)));
      yield* measured("zoom 10,000 changes in and out", zooming);
    } finally {
      await app.close();
      await playground.remove();
    }
  },
};

export default bench;
