import { type Bench, row } from "./row.ts";
import { timeTasks } from "./time-tasks.ts";

const iterations = 2;
const latencyMs = 2_000;
/** Of a task: two requests in each iteration. */
const modelMs = iterations * 2 * latencyMs;

const tasks = 32;
const placesOfWorker = 4;

/**
 * Tasks on more and more workers, beside the model's time divided among the agents. All workers are processes of this machine:
 * they share its processors with the host.
 */
const bench: Bench = {
  name: "workers",
  async *run() {
    for (const workers of [1, 2, 4, 8]) {
      const agents = workers * placesOfWorker;
      const { wallMs } = await timeTasks({ tasks, iterations, latencyMs, agents, workers });
      const ideal = Math.ceil(tasks / agents) * modelMs;
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
  },
};
export default bench;
