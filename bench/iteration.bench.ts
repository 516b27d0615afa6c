import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { defaultSettings } from "../src-main/config/settings.ts";
import { toolPath } from "../src-main/config/tools.ts";
import { trustConfigFile } from "../src-main/config/write-settings.ts";
import { createEngine } from "../src-main/engine/engine.ts";
import { openWorkerMachines } from "../src-main/engine/testing/worker-machines.ts";
import { createTestRepository } from "../src-main/jj/testing/create-test-repository.ts";
import type { AssistantBlock, ModelDriver } from "../src-main/model/driver-interface.ts";
import type { ConnectedMachines } from "../src-main/places/host/connected-machines.ts";
import { createSandbox } from "../src-main/tools/sandbox/sandbox.ts";
import { noUsage } from "../src-shared/domain/spending/usage.ts";
import { delayedNetwork } from "./delayed-network.ts";
import { type Bench, percentile, row } from "./row.ts";

const iterations = 24;
const latencyMs = 20;
const files = 200;

const plan = {
  goal: "Measure",
  summary: "",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "None", description: "", files: [] },
  phases: [{ number: 1, title: "Work" }],
  tasks: [{ id: "one", title: "Work", description: "", phase: 1, priority: "medium", files: [], after: [] }],
  integration: { title: "Together", description: "" },
  budget: { tokens: null, microDollars: null },
};

/** A model that takes as long for every answer; agent-1 writes one file in each iteration. */
function steadyModel(onIteration: () => void) {
  let answering = 0;
  let ids = 0;
  const call = (name: string, input: unknown): AssistantBlock => ({
    type: "tool_use",
    id: `call-${++ids}`,
    name,
    input,
  });
  const driver: ModelDriver = {
    name: "steady",
    isScripted: true,
    maxOutputTokens: () => 64_000,
    contextWindow: () => 1_000_000,
    async stream(request, on, signal) {
      const begun = performance.now();
      const last = request.messages.at(-1)?.content ?? [];
      const text = last.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      let content: AssistantBlock[];
      if (text.includes("[EVENT plan]")) content = [call("propose_plan", plan)];
      else if (text.includes("[EVENT merge request ready]")) content = [call("approve_merge_request", {})];
      else if (text.includes("[EVENT")) content = [call("report_done", { summary: "Nothing to do." })];
      else if (text.includes("[TASK]")) {
        onIteration();
        const iteration = /Iteration (\d+)/u.exec(text)?.[1] ?? "0";
        content =
          Number(iteration) > iterations
            ? [call("report_done", { summary: "Done." })]
            : [call("write_file", { path: `src/new-${iteration}.txt`, content: "written\n" })];
      } else content = [{ type: "text", text: "On to the next." }];
      await pause(latencyMs, undefined, { signal });
      const usage = { ...noUsage, input: 100, output: 10 };
      on.usage?.(usage);
      answering += performance.now() - begun;
      const stopReason = content.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
      return { content, stopReason, usage, model: request.model };
    },
  };
  return { driver, answering: () => answering };
}

/** How far everything was when an iteration began: the clock and the model's own time in ms, jj processes so far. */
interface Mark {
  readonly at: number;
  readonly answering: number;
  readonly processes: number;
}

/** What happens between two iterations apart from the model: median ms, jj processes on average. */
function perIteration(marks: readonly Mark[]): { readonly overhead: number; readonly processes: number } {
  const steps = marks.slice(1).map((mark, at) => {
    const before = marks[at] ?? mark;
    return {
      overhead: mark.at - before.at - (mark.answering - before.answering),
      processes: mark.processes - before.processes,
    };
  });
  return {
    overhead: percentile(
      steps.map((step) => step.overhead),
      50,
    ),
    processes: steps.reduce((sum, step) => sum + step.processes, 0) / steps.length,
  };
}

/** Milliseconds of the one jj process that an iteration cannot do without. */
async function bareSnapshot(workspace: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 15; round++) {
    const begun = performance.now();
    await execa(toolPath("jj"), ["--no-pager", "-R", workspace, "util", "snapshot", "--quiet"]);
    times.push(performance.now() - begun);
  }
  return percentile(times, 50);
}

/** Iterations of one agent, on this machine or on a worker. */
async function measure(
  places?: ConnectedMachines,
): Promise<{ readonly marks: readonly Mark[]; readonly bare: number }> {
  const repo = await createTestRepository({
    files: {
      ".hox/config.toml":
        '[loop_defaults]\nmax_iterations = 60\n[backpressure]\nfast_checks = []\nslow_checks = []\n[gates]\nplan = "auto"\n',
      ...Object.fromEntries(Array.from({ length: files }, (_, at) => [`src/file-${at}.txt`, `${at}\n`])),
    },
  });
  const stateFolder = await mkdtemp(join(tmpdir(), "hox-bench-"));
  await trustConfigFile({ root: repo.repository.root, stateFolder });
  const marks: Mark[] = [];
  const model = steadyModel(() => {
    marks.push({
      at: performance.now(),
      answering: model.answering(),
      processes: repo.repository.processCount(),
    });
  });
  let ids = 0;
  const engine = await createEngine({
    repository: repo.repository,
    stateFolder,
    settings: () => defaultSettings,
    driverFor: async () => model.driver,
    sandbox: () => createSandbox({ allowUnsandboxed: true }),
    ...(places ? { places } : {}),
    now: () => Date.now(),
    newId: () => `bench${ids++}`,
  });
  try {
    const { run } = await engine.execute("run.start", {
      goal: "Measure",
      orchestrators: null,
      maxTokens: null,
      maxMicroDollars: null,
      onto: null,
      rehearsal: null,
      model: "claude-haiku-5-5",
      ...(places ? { on: "test" } : {}),
    });
    const deadline = Date.now() + 120_000;
    while (marks.length < iterations && Date.now() < deadline) await pause(50);
    const workspace = engine.state().run?.workers.find((worker) => worker.name === "agent-1")?.workspace;
    await engine.execute("run.stop", { run });
    if (marks.length < iterations || !workspace) throw new Error("The agent did not come to its iterations.");
    return { marks, bare: await bareSnapshot(workspace) };
  } finally {
    await engine.close();
    await repo.remove();
    await rm(stateFolder, { recursive: true, force: true });
  }
}

/** Median milliseconds from one iteration to the next, the model's time included. */
const iterationMs = (marks: readonly Mark[]): number =>
  percentile(
    marks.slice(1).map(({ at }, index) => at - (marks[index]?.at ?? at)),
    50,
  );

/** The same on a worker. @returns milliseconds of an iteration */
async function measureAway(roundTripMs: number): Promise<number> {
  const network = delayedNetwork(roundTripMs);
  const machines = await openWorkerMachines();
  try {
    await machines.start("box", null, roundTripMs === 0 ? {} : { network });
    return iterationMs((await measure(machines.connected)).marks);
  } finally {
    await machines.close();
    network.close();
  }
}

/**
 * What one iteration of an agent costs the host beside its model and its checks, and what it takes where the agent's files
 * are on a worker. The conflict radar is no part of it: it looks beside the iterations, for all agents together, and not at
 * all for one; `radar.bench.ts` measures it.
 */
const bench: Bench = {
  name: "iteration",
  async *run() {
    const { marks, bare } = await measure();
    const { overhead, processes } = perIteration(marks);
    yield row({
      name: "jj processes per agent iteration",
      value: processes,
      unit: "processes",
      reference: 1,
      hold: "≤ 1.1",
      ok: processes <= 1.1,
    });
    yield row({
      name: "host overhead per iteration",
      value: overhead,
      unit: "ms",
      reference: bare,
      hold: "≤ 60 ms",
      ok: overhead <= 60,
    });
    const local = iterationMs(marks);
    for (const roundTripMs of [0, 20]) {
      const away = await measureAway(roundTripMs);
      const most = roundTripMs === 0 ? 1.3 : 1.6;
      yield row({
        name: `an iteration on a ${roundTripMs === 0 ? "loopback worker" : `worker ${roundTripMs} ms away`}, beside a local one`,
        value: away,
        unit: "ms",
        reference: local,
        hold: `≤ ${most} ×`,
        ok: away <= most * local,
      });
    }
  },
};
export default bench;
