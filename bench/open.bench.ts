import { now, openApp, painted, playgroundWith, recordPaints } from "./app-in-browser.ts";
import { type Bench, percentile, row } from "./row.ts";

const changes = 10_000;
const rounds = 5;

/** From a click on a recent repository to its graph on screen, beside the bare `jj log` of the same changes. */
const bench: Bench = {
  name: "open",
  async *run() {
    const { playground, root } = await playgroundWith({ changes });
    try {
      const first = await openApp(playground, root);
      await painted(first.page);
      await first.close();
      const times: number[] = [];
      const whole: number[] = [];
      const bare: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const app = await openApp(playground);
        const recent = app.page.getByRole("button", { name: /^repository/u });
        await recent.waitFor();
        await app.page.evaluate(recordPaints);
        const started = now();
        await recent.click();
        await painted(app.page);
        const [at = 0] = (await app.page.evaluate("Object.values(globalThis.paintedAt)")) as number[];
        times.push(at - started);
        await app.page.getByRole("progressbar", { name: "Loading the graph" }).waitFor({ state: "detached" });
        whole.push(now() - started);
        await app.close();
        const begun = performance.now();
        await playground.jj(root, ["--ignore-working-copy", "log", "-r", "all()"]);
        bare.push(performance.now() - begun);
      }
      const value = percentile(times, 50);
      const all = percentile(whole, 50);
      const reference = percentile(bare, 50);
      yield* [
        row({
          name: "open 10,000 changes → first screen painted",
          value,
          unit: "ms",
          reference,
          hold: "≤ 1.5 × jj log",
          ok: value <= reference * 1.5,
        }),
        row({
          name: "open 10,000 changes → the last one is there",
          value: all,
          unit: "ms",
          reference,
          hold: "≤ 2 × jj log",
          ok: all <= reference * 2,
        }),
      ];
    } finally {
      await playground.remove();
    }
  },
};

export default bench;
