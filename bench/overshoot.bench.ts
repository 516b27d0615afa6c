import { type Bench, row } from "./row.ts";
import { steadyRun } from "./steady.ts";

const agents = 16;
const maxTokens = 150_000;

/** What is spent beyond the budget, when sixteen agents meet its end while their requests are on the way. */
const bench: Bench = {
  name: "overshoot",
  async *run() {
    const run = await steadyRun({ tasks: agents, iterations: 100 }, { agents, latencyMs: 200 });
    const host = await run.host();
    try {
      host.begin("Measure", { maxTokens });
      await host.until(() => host.run?.paused === "budget", 300_000);
      const spent = host.run?.tokens ?? 0;
      const requests = run.standIn.count();
      const over = (spent - maxTokens) / (spent / requests);
      yield* [
        row({
          name: `spent beyond the budget by ${agents} agents`,
          value: over,
          unit: "requests",
          reference: agents,
          hold: "≤ one request in flight per agent",
          ok: over <= agents,
        }),
      ];
    } finally {
      await host.kill();
      await run.remove();
    }
  },
};

export default bench;
