import { watch } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { now, openApp, painted, playgroundWith, recordPaints } from "./app-in-browser.ts";
import { type Bench, percentile, type Row, row } from "./row.ts";

const rounds = 40;
const holds: Readonly<Record<number, number>> = { 1000: 80, 10000: 120 };

/** From an operation on disk until its graph is painted, compared to the bare `jj log`. */
async function measure(changes: number): Promise<Row> {
  const { playground, root } = await playgroundWith({ changes });
  const app = await openApp(playground, root);
  try {
    await painted(app.page);
    await app.page.evaluate(recordPaints);
    const heads = join(root, ".jj", "repo", "op_heads", "heads");
    const delays: number[] = [];
    const bare: number[] = [];
    // The first rounds warm up jj's and the browser's caches.
    for (let round = -3; round < rounds; round++) {
      let onDisk = 0;
      const watcher = watch(heads, () => {
        onDisk ||= now();
      });
      await playground.jj(root, ["describe", "-m", `round ${round}`]);
      const [operation = ""] = (await readdir(heads)).filter((name) => /^[0-9a-f]{128}$/u.test(name));
      await painted(app.page, operation);
      watcher.close();
      const at = Number(await app.page.evaluate(`globalThis.paintedAt["${operation}"]`));
      if (round < 0) continue;
      delays.push(at - onDisk);
      if (round % 8 !== 0) continue;
      const started = performance.now();
      await playground.jj(root, ["--ignore-working-copy", "log", "-r", "all()"]);
      bare.push(performance.now() - started);
    }
    const value = percentile(delays, 95);
    const hold = holds[changes] ?? 0;
    return row({
      name: `operation on disk → painted, ${changes.toLocaleString("en")} changes, p95`,
      value,
      unit: "ms",
      reference: percentile(bare, 50),
      hold: `p95 ≤ ${hold} ms`,
      ok: value <= hold,
    });
  } finally {
    await app.close();
    await playground.remove();
  }
}

const bench: Bench = {
  name: "operation-to-screen",
  async *run() {
    yield await measure(1_000);
    yield await measure(10_000);
  },
};

export default bench;
