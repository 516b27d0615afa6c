import { bareAgents } from "./bare-agents.ts";
import { type Bench, row } from "./row.ts";
import { steadyFiles } from "./steady.ts";
import { timeTasks } from "./time-tasks.ts";

const tasks = 32;
const iterations = 2;
const latencyMs = 500;
/** How often the model's time the tasks may take, by the number of agents at once. */
const targets = [
  [1, 1.25],
  [4, 1.25],
  [16, 1.6],
  [32, 2],
] as const;
/** Milliseconds that a task's requests take if nothing else takes any. */
const taskMs = iterations * 2 * latencyMs;

/**
 * Many agents beside one: the same tasks with a model that takes as long for every answer. The ideal is the model's
 * time alone, divided among the agents; nothing can be faster. Where all tasks begin at once it is jj that they wait for:
 * a row also shows what jj alone takes for as many workspaces and records.
 */
const bench: Bench = {
  name: "agents",
  async *run() {
    let alone: number | null = null;
    for (const [agents, target] of targets) {
      const { wallMs, lateMs, bytes } = await timeTasks({ tasks, iterations, latencyMs, agents });
      const ideal = Math.ceil(tasks / agents) * taskMs;
      yield row({
        name: `${tasks} tasks, ${agents} agents at once, beside the model's time`,
        value: wallMs / 1000,
        unit: "s",
        reference: ideal / 1000,
        hold: `≤ ${target} × the model`,
        ok: wallMs <= ideal * target,
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
