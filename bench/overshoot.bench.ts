import { setTimeout as pause } from "node:timers/promises";
import { type Bench, type Row, row } from "./row.ts";
import { otherAgent, steadyRun } from "./steady.ts";

const agents = 16;
const maxTokens = 150_000;

/** @param of What the agents are, in the name of the row */
async function overshoot(of: string, iterations: number, model?: string): Promise<Row> {
  const run = await steadyRun(
    { tasks: agents, iterations },
    { agents, latencyMs: 200, hasOther: model !== undefined },
  );
  const host = await run.host();
  try {
    host.begin("Measure", { maxTokens, ...(model === undefined ? {} : { model }) });
    await host.until(() => host.run?.paused === "budget", 300_000);
    // What was in flight is counted once it is answered.
    await pause(2_000);
    const spent = host.run?.tokens ?? 0;
    const requests = run.standIn.count();
    const over = (spent - maxTokens) / (spent / requests);
    return row({
      name: `spent beyond the budget by ${agents} ${of}`,
      value: over,
      unit: "requests",
      reference: agents,
      hold: "≤ one request in flight per agent",
      ok: over <= agents,
    });
  } finally {
    await host.kill();
    await run.remove();
  }
}

/** What is spent beyond the budget, when sixteen agents meet its end while their requests are on the way. */
const bench: Bench = {
  name: "overshoot",
  async *run() {
    yield await overshoot("agents", 100);
    yield await overshoot("agents of another make", 20, otherAgent);
  },
};

export default bench;
