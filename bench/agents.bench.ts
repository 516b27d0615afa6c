import { bareAgents } from "./bare-agents.ts";
import { type Bench, row } from "./row.ts";
import { steadyFiles, steadyRun } from "./steady.ts";

const tasks = 32;
const iterations = 2;
const latencyMs = 500;
/** Milliseconds that a task's requests take if nothing else takes any. */
const taskMs = iterations * 2 * latencyMs;

interface Measured {
  /** From the first request of an agent to the end of the last task. */
  readonly wallMs: number;
  readonly lateMs: number;
  readonly bytes: number;
}

async function measure(agents: number): Promise<Measured> {
  let first = 0;
  let last = 0;
  const run = await steadyRun(
    {
      tasks,
      iterations,
      onRequest: () => {
        last = performance.now();
        first ||= last;
      },
    },
    { agents, latencyMs },
  );
  const host = await run.host();
  try {
    host.begin("Measure");
    await host.until(() => first > 0, 600_000);
    await host.measure();
    await host.until(() => host.run !== null && !["planning", "executing"].includes(host.run.stage), 600_000);
    const { delay, peak } = await host.measure();
    if (run.standIn.unmatched().length > 0) throw new Error(run.standIn.unmatched().join("\n"));
    return { wallMs: last + latencyMs - first, lateMs: delay.p99, bytes: peak };
  } finally {
    await host.close();
    await run.remove();
  }
}

/**
 * Many agents beside one: the same tasks with a model that takes as long for every answer. The ideal is the model's
 * time alone, divided among the agents; nothing can be faster. Where all tasks begin at once it is jj that they wait for:
 * a row also shows what jj alone takes for as many workspaces and records.
 */
const bench: Bench = {
  name: "agents",
  async *run() {
    let alone: number | null = null;
    for (const agents of [1, 4, 16, 32]) {
      const { wallMs, lateMs, bytes } = await measure(agents);
      const ideal = Math.ceil(tasks / agents) * taskMs;
      yield row({
        name: `${tasks} tasks, ${agents} agents at once, beside the model's time`,
        value: wallMs / 1000,
        unit: "s",
        reference: ideal / 1000,
        hold: agents > 4 ? "≤ 2 × the model" : "≤ 1.25 × the model",
        ok: wallMs <= ideal * (agents > 4 ? 2 : 1.25),
      });
      if (alone === null) alone = wallMs;
      else
        yield row({
          name: `${tasks} tasks, ${agents} agents at once, beside one agent alone`,
          value: wallMs / 1000,
          unit: "s",
          reference: alone / 1000,
          hold: `≤ ${(2 / agents).toFixed(2)} × alone`,
          ok: wallMs <= (alone * 2) / agents,
        });
      if (agents === tasks) {
        const bareMs = await bareAgents({ tasks, iterations, latencyMs, files: steadyFiles() });
        yield* [
          row({
            name: `${tasks} tasks, ${agents} agents at once, beside jj and the model with nothing else`,
            value: wallMs / 1000,
            unit: "s",
            reference: bareMs / 1000,
            hold: "≤ 1.5 × jj and the model",
            ok: wallMs <= bareMs * 1.5,
          }),
          row({
            name: "event loop of the host with 32 agents comes late, p99",
            value: lateMs,
            unit: "ms",
            hold: "≤ 20 ms",
            ok: lateMs <= 20,
          }),
          row({
            name: "memory of the host with 32 agents, at most",
            value: bytes / 1e6,
            unit: "MB",
            hold: "≤ 300 MB",
            ok: bytes <= 300e6,
          }),
        ];
      }
    }
  },
};

export default bench;
