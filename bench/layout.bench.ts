import { buildGraph } from "../src-shared/graph/change-graph.ts";
import { applyDelta } from "../src-shared/graph/delta.ts";
import { layoutLanes } from "../src-shared/graph/lanes.ts";
import { editHistory, sampleHistory, snapshotOf } from "../src-shared/graph/testing/sample-history.ts";
import { type Bench, percentile, row } from "./row.ts";

const rows = 100_000;
const rounds = 21;

/** Milliseconds of the middle one of several runs, after one that warms up. */
function median(work: () => unknown): number {
  const samples: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now();
    work();
    if (round > 0) samples.push(performance.now() - start);
  }
  return percentile(samples, 50);
}

/** Lane layout alone: what the renderer computes after the rows have arrived. */
const bench: Bench = {
  name: "layout",
  async *run() {
    const history = sampleHistory(rows);
    const snapshot = snapshotOf(history);
    const graph = buildGraph(snapshot);
    const layout = layoutLanes(graph);
    const parents = JSON.stringify(snapshot.changes.map((change) => change.parents));
    // Reading the same parents from JSON is what any viewer does before it can draw a line.
    const reading = median(() => JSON.parse(parents));
    const whole = median(() => layoutLanes(graph));

    yield row({
      name: "layout 100,000 changes",
      value: whole,
      unit: "ms",
      reference: reading,
      hold: "≤ 50 ms",
      ok: whole <= 50,
    });

    const added = Array.from({ length: 10 }, (_, at) => ({
      changeId: `new${at}`,
      parents: [`c${Math.floor((at + 0.5) * (rows / 10))}`],
    }));
    const { delta } = editHistory(history, added);
    const changed = median(() => layoutLanes(applyDelta(graph, delta), layout));
    // The least that a change anywhere in a list of this length costs without a cleverer structure: one pass.
    const order = Array.from({ length: rows }, (_, at) => at);
    const pass = median(() => order.map((at) => at + 1));
    yield row({
      name: "layout delta of 10 in 100,000",
      value: changed,
      unit: "ms",
      reference: pass,
      hold: "≤ 2 ms",
      ok: changed <= 2,
    });
  },
};

export default bench;
