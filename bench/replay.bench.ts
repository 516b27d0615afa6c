import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Page } from "playwright";
import { readRecordingFile, writeRecordingFile } from "../src-main/replay/recording-file.ts";
import { createReplay } from "../src-main/replay/replay.ts";
import { openApp, painted, playgroundWith } from "./app-in-browser.ts";
import { longRecording } from "./replay/long-recording.ts";
import { type Bench, percentile, type Row, row } from "./row.ts";

const openings = 7;
const drags = 60;
/** Beside what no program can leave out: every line is checked, reduced and shown at several moments as well. */
const maxOpeningSeconds = 4;
const maxDragMs = 150;

const timed = <T>(task: () => T): number => {
  const begun = performance.now();
  task();
  return performance.now() - begun;
};

/** What no program that opens such a file can leave out. */
const unpackAndParse = (file: Buffer): readonly unknown[] =>
  gunzipSync(file)
    .toString("utf8")
    .split("\n")
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));

function openingRow(file: Buffer, events: number, rows: number): Row {
  const samples = Array.from({ length: openings }, () => ({
    open: timed(() => {
      const { viewsAt, to } = createReplay(readRecordingFile(file));
      return viewsAt(to);
    }),
    least: timed(() => unpackAndParse(file)),
  }));
  const median = (key: "open" | "least"): number =>
    percentile(
      samples.map((sample) => sample[key]),
      50,
    );
  const value = median("open");
  const reference = median("least");
  return row({
    name: `open a recording, ${events} events, ${rows} rows: to its last moment`,
    value,
    unit: "ms",
    reference,
    hold: `≤ ${maxOpeningSeconds} × unpacking and parsing`,
    ok: value <= maxOpeningSeconds * reference,
  });
}

/** From a move of the handle to the frame with the graph of that time; and a frame alone. */
const dragTo = `async (share) => {
  const track = document.querySelector('[aria-label="Time of the replay"]');
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
  await frame();
  const alone = performance.now();
  await frame();
  const least = performance.now() - alone;
  const shown = () => document.querySelector("[data-operation]")?.dataset.operation;
  const before = shown();
  const begun = performance.now();
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  set.call(track, String(Number(track.min) + (Number(track.max) - Number(track.min)) * share));
  track.dispatchEvent(new Event("input", { bubbles: true }));
  while (shown() === before) {
    if (performance.now() - begun > 60000) throw new Error("The moment was not drawn.");
    await frame();
  }
  return { drawn: performance.now() - begun, least };
}`;

async function openInWindow(page: Page, file: string): Promise<void> {
  await painted(page);
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Command palette" });
  await palette.getByRole("combobox").fill("Recorded runs");
  await palette.getByRole("option", { name: "Recorded runs" }).click();
  await page.getByLabel("A recording").setInputFiles(file);
  await page.getByRole("button", { name: "Pause the replay" }).click();
  await page.getByRole("button", { name: "To the end" }).click();
}

async function dragRow(file: Buffer): Promise<Row> {
  const { playground, root } = await playgroundWith({ changes: 20 });
  const app = await openApp(playground, root);
  try {
    const path = join(playground.folder, "long.hoxrun");
    await writeFile(path, file);
    await openInWindow(app.page, path);
    const samples: { readonly drawn: number; readonly least: number }[] = [];
    // To and fro over the whole length: no moment is the neighbour of the one before.
    for (let at = 0; at < drags; at++) {
      const share = 0.05 + 0.9 * ((at * 0.381966) % 1);
      samples.push((await app.page.evaluate(`(${dragTo})(${share})`)) as (typeof samples)[number]);
    }
    const value = percentile(
      samples.map(({ drawn }) => drawn),
      95,
    );
    return row({
      name: "from a drag on the track to the drawn moment, p95; beside a frame of the same page",
      value,
      unit: "ms",
      reference: percentile(
        samples.map(({ least }) => least),
        50,
      ),
      hold: `p95 ≤ ${maxDragMs} ms`,
      ok: value <= maxDragMs,
    });
  } finally {
    await app.close();
    await playground.remove();
  }
}

const bench: Bench = {
  name: "replay",
  async *run() {
    const recording = longRecording();
    const file = writeRecordingFile(recording, "bench");
    const rows = Object.values(recording.conversations).reduce((sum, own) => sum + own.length, 0);
    yield openingRow(file, recording.moments.length, rows);
    yield await dragRow(file);
  },
};
export default bench;
