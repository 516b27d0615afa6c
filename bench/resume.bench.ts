import { join } from "node:path";
import { TestHost } from "../e2e/host.ts";
import { bareStart } from "./bare-start.ts";
import { type Bench, percentile, row } from "./row.ts";
import { steadyRun } from "./steady.ts";

const agents = 8;
const rounds = 5;

/** A host that is killed in the middle of its agents' work: how long until they ask their model again. */
const bench: Bench = {
  name: "resume",
  async *run() {
    const asked = new Set<string>();
    const run = await steadyRun(
      { tasks: agents, iterations: 100, onRequest: (agent) => asked.add(agent) },
      { agents, latencyMs: 1_500 },
    );
    const first: number[] = [];
    const all: number[] = [];
    const until = async (count: number): Promise<void> => {
      const deadline = performance.now() + 300_000;
      while (asked.size < count) {
        if (performance.now() > deadline) throw new Error(`Only ${[...asked]} asked their model again.`);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    try {
      const begun = await run.host();
      begun.begin("Measure");
      await until(agents);
      await begun.kill();
      for (let round = 0; round < rounds; round++) {
        asked.clear();
        const started = performance.now();
        // The host as it is built, as a user starts it again.
        const host = await TestHost.start(
          {
            state: run.stateFolder,
            environment: {
              ...process.env,
              DISPLAY: undefined,
              JJ_CONFIG: join(run.folder, "config.toml"),
              ANTHROPIC_API_KEY: run.standIn.apiKey,
              ANTHROPIC_BASE_URL: run.standIn.url,
            },
          },
          { folder: run.root },
        );
        await until(1);
        first.push(performance.now() - started);
        await until(agents);
        all.push(performance.now() - started);
        await host.kill();
      }
      const reference = await bareStart();
      const value = percentile(first, 50);
      yield* [
        row({
          name: "killed host is started again → the first agent asks its model",
          value,
          unit: "ms",
          reference,
          hold: "≤ 2000 ms",
          ok: value <= 2000,
        }),
        row({
          name: `killed host is started again → all ${agents} agents are at it`,
          value: percentile(all, 50),
          unit: "ms",
          reference,
          hold: "no hold",
          ok: true,
        }),
      ];
    } finally {
      await run.remove();
    }
  },
};

export default bench;
