import { type Bench, row } from "./row.ts";
import { timeTasks } from "./time-tasks.ts";

const iterations = 2;
/** Two requests each. */
const modelMs = (latencyMs: number): number => iterations * 2 * latencyMs;

const tasks = 32;
const placesOfWorker = 4;

/**
 * Tasks on more and more workers, and as many agents as one host has to bear, each beside the model's time divided among the
 * agents. All workers are processes of this machine: they share its processors with the host.
 */
const bench: Bench = {
  name: "workers",
  async *run() {
    for (const workers of [1, 2, 4, 8]) {
      const agents = workers * placesOfWorker;
      const { wallMs } = await timeTasks({ tasks, iterations, latencyMs: 2_000, agents, workers });
      const ideal = Math.ceil(tasks / agents) * modelMs(2_000);
      const most = workers > 2 ? 2 : 1.25;
      yield row({
        name: `${tasks} tasks on ${workers} workers of ${placesOfWorker} places, beside the model's time`,
        value: wallMs / 1000,
        unit: "s",
        reference: ideal / 1000,
        hold: `≤ ${most} × the model`,
        ok: wallMs <= most * ideal,
      });
    }
    const agents = 100;
    const { wallMs, bytes } = await timeTasks({ tasks: agents, iterations, latencyMs: 5_000, agents });
    yield row({
      name: `${agents} agents on one host, answers of 5 s, beside the model's time`,
      value: wallMs / 1000,
      unit: "s",
      reference: modelMs(5_000) / 1000,
      hold: "≤ 1.25 × the model",
      ok: wallMs <= 1.25 * modelMs(5_000),
    });
    yield row({
      name: `memory of the host with ${agents} agents, at most`,
      value: bytes / 1e6,
      unit: "MB",
      hold: "≤ 500 MB",
      ok: bytes <= 500e6,
    });
  },
};
export default bench;
