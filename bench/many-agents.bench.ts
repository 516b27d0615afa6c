import { type Bench, row } from "./row.ts";
import { timeTasks } from "./time-tasks.ts";

const agents = 100;
const iterations = 2;
const latencyMs = 5_000;
/** Of a task: two requests in each iteration. */
const modelMs = iterations * 2 * latencyMs;

/** As many agents as a run can have at once, each with a task of its own, on one host. */
const bench: Bench = {
  name: "many-agents",
  async *run() {
    const { wallMs, bytes } = await timeTasks({ tasks: agents, iterations, latencyMs, agents });
    yield row({
      name: `${agents} agents on one host, beside the model's time`,
      value: wallMs / 1000,
      unit: "s",
      reference: modelMs / 1000,
      hold: "≤ 1.25 × the model",
      ok: wallMs <= 1.25 * modelMs,
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
