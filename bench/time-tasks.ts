import { startWorkers } from "../src-main/engine/testing/waiting-workers.ts";
import { steadyRun } from "./steady.ts";

interface Timed {
  /** From the first request of an agent to the end of the last task. */
  readonly wallMs: number;
  readonly lateMs: number;
  /** Of the host. */
  readonly bytes: number;
}

/** Tasks that have nothing to do with each other, by agents on the host or on workers. */
export async function timeTasks({
  tasks,
  iterations,
  latencyMs,
  agents,
  workers = 0,
}: {
  readonly tasks: number;
  readonly iterations: number;
  readonly latencyMs: number;
  readonly agents: number;
  readonly workers?: number;
}): Promise<Timed> {
  let first = 0;
  let last = 0;
  let requests = 0;
  const run = await steadyRun(
    {
      tasks,
      iterations,
      onRequest: () => {
        requests += 1;
        last = performance.now();
        first ||= last;
      },
    },
    // An answer begins long before it is complete, as a provider's does.
    { agents, latencyMs, beginMs: latencyMs / 5 },
  );
  const { stateFolder } = run;
  const machines =
    workers === 0
      ? null
      : await startWorkers({ stateFolder, count: workers, capacity: Math.ceil(agents / workers) });
  const host = await run.host(machines === null ? {} : { workerPort: machines.port });
  try {
    host.begin("Measure", machines === null ? {} : { on: "test" });
    await host.until(() => first > 0, 600_000);
    await host.measure();
    // What follows, such as reviews one after the other, is not theirs.
    await host.until(() => requests >= tasks * iterations * 2, 600_000);
    const { delay, peak } = await host.measure();
    if (run.standIn.unmatched().length > 0) throw new Error(run.standIn.unmatched().join("\n"));
    const elsewhere = host.notices.find(({ text }) => text.startsWith("No worker"));
    if (elsewhere) throw new Error(elsewhere.text);
    return { wallMs: last + latencyMs - first, lateMs: delay.p99, bytes: peak };
  } finally {
    await host.close();
    await machines?.close();
    await run.remove();
  }
}
