import type { Page } from "playwright";
import { openApp, painted, playgroundWith } from "./app-in-browser.ts";
import { type Bench, percentile, type Row, row } from "./row.ts";

const changes = 10_000;
const panMs = 2_500;
/** Clicks on "Smaller" before each measurement: from reading size to the whole graph. */
const zooms = [0, 2, 4, 6];

/** Frame times of the page while something happens to it. */
async function framesDuring(page: Page, act: () => Promise<void>): Promise<readonly number[]> {
  await page.evaluate(`
    globalThis.frames = [];
    globalThis.counting = true;
    let last = performance.now();
    const step = (at) => {
      globalThis.frames.push(at - last);
      last = at;
      if (globalThis.counting) requestAnimationFrame(step);
    };
    requestAnimationFrame((at) => { last = at; requestAnimationFrame(step); });
  `);
  await act();
  return (await page.evaluate("globalThis.counting = false; globalThis.frames")) as number[];
}

/** Moves the map to and fro in many small steps; a map that stood still measured nothing. */
async function pan(page: Page): Promise<void> {
  const box = await page.getByRole("tree", { name: "Graph" }).boundingBox();
  if (!box) throw new Error("The map is not on screen.");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const end = performance.now() + panMs;
  const places = new Set<string>();
  for (let at = 0; performance.now() < end; at++) {
    await page.mouse.wheel(22 * Math.cos(at / 17), 90 * Math.cos(at / 29) + 12);
    if (at % 10 === 0) places.add(await placeOf(page));
  }
  if (places.size < 5) throw new Error(`The map did not move: it was at ${[...places].join(" and ")}.`);
}

const placeOf = async (page: Page): Promise<string> =>
  String(await page.evaluate('document.querySelector(".react-flow__viewport").style.transform'));

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
  async run() {
    // Nearly everything mutable: nothing is folded away, all of it is on the map.
    const { playground, root } = await playgroundWith({ changes, mutable: 0.95 });
    const app = await openApp(playground, root);
    try {
      const { page } = app;
      await painted(page);
      await page.getByRole("button", { name: "Canvas" }).click();
      await page.getByRole("tree", { name: "Graph" }).waitFor();
      const idle = await framesDuring(page, () => page.waitForTimeout(1_000));
      const rows: Row[] = [
        row({
          name: "nothing happens, median frame",
          value: percentile(idle, 50),
          unit: "ms",
          hold: "what this machine can draw",
          ok: true,
        }),
      ];
      let clicks = 0;
      for (const zoom of zooms) {
        for (; clicks < zoom; clicks++) await page.getByRole("button", { name: "Smaller" }).click();
        await page.waitForTimeout(400);
        const scale = /scale\(([\d.]+)\)/u.exec(await placeOf(page))?.[1] ?? "?";
        const frames = await framesDuring(page, () => pan(page));
        rows.push(...measured(`pan 10,000 changes at zoom ${Number(scale).toFixed(2)}`, frames));
      }
      const before = await placeOf(page);
      const zooming = await framesDuring(page, async () => {
        const box = await page.getByRole("tree", { name: "Graph" }).boundingBox();
        if (!box) throw new Error("The map is not on screen.");
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await page.keyboard.down("Control");
        for (let at = 0; at < 60; at++) await page.mouse.wheel(0, at % 30 < 20 ? -40 : 40);
        await page.keyboard.up("Control");
      });
      if ((await placeOf(page)) === before) throw new Error("The map was not zoomed.");
      return [...rows, ...measured("zoom 10,000 changes in and out", zooming)];
    } finally {
      await app.close();
      await playground.remove();
    }
  },
};

export default bench;
