import { type Bench, percentile, row } from "./row.ts";
import { otherAgent, steadyRun } from "./steady.ts";

const iterations = 24;
const latencyMs = 20;
/** One that writes, and one that ends. */
const requestsEach = 2;

/** What an iteration costs the host beside its model: milliseconds, median. @param model null: Hox's own agent */
async function overhead(model: string | null): Promise<number> {
  const asked: number[] = [];
  const onRequest = (): void => void asked.push(performance.now());
  const run = await steadyRun({ tasks: 1, iterations, onRequest }, { agents: 1, latencyMs, hasOther: true });
  const host = await run.host();
  try {
    host.begin("Measure", model === null ? {} : { model });
    await host.until(() => asked.length >= iterations * requestsEach, 300_000);
    const begun = asked.filter((_, at) => at % requestsEach === 0);
    const each = begun.slice(1).map((at, index) => at - (begun[index] ?? at) - requestsEach * latencyMs);
    return percentile(each, 50);
  } finally {
    await host.kill();
    await run.remove();
  }
}

/** An iteration by an agent of another make beside the same by Hox's own, with the same stand-in of the model. */
const bench: Bench = {
  name: "other-agents",
  async *run() {
    const own = await overhead(null);
    const other = await overhead(otherAgent);
    yield row({
      name: "host overhead of an iteration by another agent, own agent as reference",
      value: other,
      unit: "ms",
      reference: own,
      hold: "≤ 2 × own agent",
      ok: other <= 2 * own,
    });
  },
};
export default bench;
