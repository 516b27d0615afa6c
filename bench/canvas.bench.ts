import { readFileSync } from "node:fs";
import { Playground } from "../e2e/host.ts";
import { type ManyAgents, manyAgentsIn } from "../e2e/many-agents.ts";
import { layOutRun } from "../src-shared/graph/run-canvas/layout.ts";
import { sampleRun } from "../src-shared/graph/run-canvas/testing/sample-run.ts";
import { type AppInBrowser, openApp, painted, recordPaints } from "./app-in-browser.ts";
import { type Frame, framesDuring, lengthsOf } from "./frames.ts";
import { type Bench, percentile, type Row, row } from "./row.ts";

const watchedMs = 12_000;
/** Of a model's words: about as fast as one is read, so that every agent says something nearly all the time. */
const paceMs = 120;
/** A frame belongs to an operation that was painted so shortly before its end or after it (ms). */
const aroundPaintMs = 150;
const rounds = 21;
const draggedMs = 6_000;
/** y in the window, between which a dragged lane goes to and fro: among the lanes, and over none of what is above them. */
const highestDrag = 200;
const lowestDrag = 700;

/** A run of this number of agents, far enough for every lane to have marks. */
async function liveRun({ page }: AppInBrowser, agents: number): Promise<void> {
  await painted(page);
  await page.getByRole("button", { name: "Start a run" }).click();
  await page.getByLabel("Goal").fill("Make the service ready for its second country");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const lanes = page.getByRole("region", { name: "Graph", exact: true }).locator("[data-lane]");
  await lanes.nth(agents - 1).waitFor({ timeout: 120_000 });
  const deadline = performance.now() + 180_000;
  const withMarks = lanes.filter({ has: page.locator("[data-mark]") });
  while ((await withMarks.count()) < agents) {
    if (performance.now() > deadline)
      throw new Error(`${await withMarks.count()} of ${agents} lanes carry something after three minutes.`);
    await page.waitForTimeout(200);
  }
}

/** The longest frame of each operation that was painted while frames were counted. */
function framesOfOperations(frames: readonly Frame[], paints: readonly number[]): readonly number[] {
  return paints.flatMap((paint) => {
    const near = frames.filter(({ at }) => Math.abs(at - paint) <= aroundPaintMs);
    return near.length === 0 ? [] : [Math.max(...lengthsOf(near))];
  });
}

interface MeasuredRun {
  readonly app: AppInBrowser;
  readonly standIn: ManyAgents["standIn"];
}

/** Measures a run of this number of agents that is far enough, and removes everything after it. */
async function inLiveRun<T>(agents: number, measure: (run: MeasuredRun) => Promise<T>): Promise<T> {
  const playground = await Playground.make();
  const { root, standIn } = await manyAgentsIn(playground, agents, paceMs);
  const app = await openApp(playground, root);
  try {
    await liveRun(app, agents);
    return await measure({ app, standIn });
  } finally {
    await app.close();
    await standIn.close();
    await playground.remove();
  }
}

interface Load {
  readonly bytesPerMinute: number;
  /** Percent of one processor; null where the system does not tell. */
  readonly host: number | null;
  readonly page: number;
}

const ticksPerSecond = 100;

/** Processor time of a process so far, in ms; null where the system does not tell. */
function processorTime(pid: number | undefined): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
  } catch {
    return null;
  }
}

/** What a run costs while its window is open and nobody touches it. */
async function loadDuring({ page, host }: AppInBrowser, work: () => Promise<void>): Promise<Load> {
  const session = await page.context().newCDPSession(page);
  let bytes = 0;
  session.on("Network.webSocketFrameReceived", ({ response: { opcode, payloadData } }) => {
    bytes += opcode === 1 ? Buffer.byteLength(payloadData) : Buffer.byteLength(payloadData, "base64");
  });
  await session.send("Network.enable");
  // Time on a processor: where others use it as well, a task takes longer and costs no more.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const taskTime = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
  };
  const before = { at: performance.now(), host: processorTime(host), page: await taskTime() };
  await work();
  const ms = performance.now() - before.at;
  const hostTime = processorTime(host);
  const load = {
    bytesPerMinute: (bytes * 60_000) / ms,
    host: hostTime === null || before.host === null ? null : (100 * (hostTime - before.host)) / ms,
    page: (100 * ((await taskTime()) - before.page)) / ms,
  };
  await session.detach();
  return load;
}

/** MB per minute and agent that a window may be sent. */
const maxMegabytes = 0.25;

const loadRows = (agents: number, { bytesPerMinute, host, page }: Load): readonly Row[] =>
  [
    {
      of: "sent to the window per minute",
      value: bytesPerMinute / 1e6,
      unit: "MB",
      most: agents * maxMegabytes,
    },
    ...(host === null ? [] : [{ of: "the host's share of a processor", value: host, unit: "%", most: 60 }]),
    { of: "the page's share of a processor", value: page, unit: "%", most: 60 },
  ].map(({ of, value, unit, most }) =>
    row({
      name: `${agents} agents stream, ${of}`,
      value,
      unit,
      hold: `≤ ${most} ${unit}`,
      ok: value <= most,
    }),
  );

const streamingRows = (agents: number): Promise<readonly Row[]> =>
  inLiveRun(agents, async ({ app }) => {
    const { page } = app;
    const load = await loadDuring(app, () => page.waitForTimeout(watchedMs));
    await page.evaluate(recordPaints);
    const frames = await framesDuring(page, () => page.waitForTimeout(watchedMs));
    const paints = Object.values(
      (await page.evaluate("globalThis.paintedAt")) as Readonly<Record<string, number>>,
    );
    const ofOperations = framesOfOperations(frames, paints);
    // The same agents go on beside a page that draws nothing: what this machine leaves any page.
    await page.goto("about:blank");
    const bare = lengthsOf(await framesDuring(page, () => page.waitForTimeout(watchedMs)));
    const median = percentile(lengthsOf(frames), 50);
    const high = percentile(lengthsOf(frames), 95);
    return [
      ...loadRows(agents, load),
      row({
        name: `${agents} agents stream, median frame`,
        value: median,
        unit: "ms",
        reference: percentile(bare, 50),
        hold: "≤ 17 ms",
        ok: median <= 17,
      }),
      row({
        name: `${agents} agents stream, p95 frame`,
        value: high,
        unit: "ms",
        reference: percentile(bare, 95),
        hold: "≤ 33 ms",
        ok: high <= 33.4,
      }),
      ...[50, 100].map((p) => {
        const longest = percentile(ofOperations, p);
        const which = p === 50 ? "median" : `longest of ${ofOperations.length}`;
        return row({
          name: `longest frame as an operation lands, ${agents} agents, ${which}`,
          value: longest,
          unit: "ms",
          reference: percentile(bare, p),
          hold: "≤ 50 ms",
          ok: longest <= 50,
        });
      }),
    ];
  });

/** Moves the pointer, as a hand does, from lane to lane without letting go of the one that was taken up. */
async function dragAlongLanes({ page }: AppInBrowser): Promise<void> {
  const begun = performance.now();
  for (let at = 0; performance.now() < begun + draggedMs; at++) {
    const share = 0.5 - 0.5 * Math.cos(at / 40);
    await page.mouse.move(120 + 20 * Math.sin(at / 9), highestDrag + share * (lowestDrag - highestDrag));
  }
}

/** A lane dragged over the others while no agent works: all drawing is caused by the drag. */
const draggedRows = (agents: number): Promise<readonly Row[]> =>
  inLiveRun(agents, async ({ app, standIn }) => {
    const { page } = app;
    const release = standIn.hold(() => true);
    // What had been asked for comes to its end first.
    await page.waitForTimeout(8_000);
    const still = lengthsOf(await framesDuring(page, () => page.waitForTimeout(2_000)));
    const name = await page
      .locator("[data-lane-name]")
      .nth(Math.floor(agents / 2))
      .boundingBox();
    if (!name) throw new Error("The lane is not on screen.");
    await page.mouse.move(name.x + 60, name.y + name.height / 2);
    await page.mouse.down();
    await page.mouse.move(name.x + 70, name.y - 12, { steps: 4 });
    await page.locator("[data-drag-ghost]").waitFor();
    const frames = lengthsOf(await framesDuring(page, () => dragAlongLanes(app)));
    if ((await page.locator("[data-drag-ghost]").count()) === 0) throw new Error("The lane was dropped.");
    await page.keyboard.press("Escape");
    await page.mouse.up();
    release();
    return [
      { p: 50, what: "median", most: 17 },
      { p: 95, what: "p95", most: 33 },
    ].map(({ p, what, most }) => {
      const value = percentile(frames, p);
      return row({
        name: `a lane is dragged among ${agents}, ${what} frame`,
        value,
        unit: "ms",
        reference: percentile(still, p),
        hold: `≤ ${most} ms`,
        ok: value <= most + 0.4,
      });
    });
  });

/** Where everything of a run of 200 lanes belongs, beside reading the same run from JSON. */
function layoutRow(): Row {
  const input = sampleRun({ lanes: 200, parts: 0, seed: 3, minutes: 60 });
  const text = JSON.stringify(input);
  const timed = (work: () => unknown): number => {
    const samples = Array.from({ length: rounds + 1 }, () => {
      const begun = performance.now();
      work();
      return performance.now() - begun;
    });
    // The first one warms up.
    return percentile(samples.slice(1), 50);
  };
  const value = timed(() => layOutRun(input));
  return row({
    name: "layout of 200 lanes",
    value,
    unit: "ms",
    reference: timed(() => JSON.parse(text)),
    hold: "≤ 8 ms, half a frame",
    ok: value <= 8,
  });
}

const bench: Bench = {
  name: "canvas",
  async *run() {
    yield layoutRow();
    for (const agents of [16, 50]) yield* await streamingRows(agents);
    yield* await draggedRows(40);
  },
};

export default bench;
