import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { trustRepositoryConfig } from "../src-main/config/write-settings.ts";
import { createTestRepository } from "../src-main/jj/testing/create-test-repository.ts";
import {
  defineScript,
  type Scene,
  type Script,
  type Seen,
  type Step,
} from "../src-main/model/stand-in/script.ts";
import { type StandIn, startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import type { Plan } from "../src-shared/domain/plan/plan.ts";
import { MeasuredHost, type MeasuredHostOptions } from "./measured-host/measured-host.ts";

export interface Steady {
  readonly tasks: number;
  /** Iterations of each task, two requests each: one that writes, one that ends. */
  readonly iterations: number;
  /** Told with every request of an agent. */
  readonly onRequest?: (agent: string) => void;
}

const call = (tool: string, input: Record<string, unknown>): Step => ({ calls: [{ tool, input }] });
const done = call("report_done", { summary: "Done." });
const always = (name: string, step: (seen: Seen) => Step, prompt?: Scene["prompt"]): Scene => ({
  name,
  ...(prompt === undefined ? {} : { prompt }),
  steps: Array.from({ length: 8 }, () => step),
});

/** Tasks that have nothing to do with each other, and a model that never hesitates. */
export function steadyScript({ tasks, iterations, onRequest }: Steady): Script {
  const plan: Plan = {
    goal: "Measure",
    summary: "",
    orchestrators: { count: 1, reason: "" },
    contracts: { title: "None", description: "", files: [] },
    phases: [{ number: 1, title: "Work" }],
    tasks: Array.from({ length: tasks }, (_, at) => ({
      id: `t${at + 1}`,
      title: `Task ${at + 1}`,
      description: "",
      phase: 1,
      priority: "medium",
      files: [`work/${at + 1}.txt`],
      after: [],
    })),
    integration: { title: "Together", description: "" },
    budget: { tokens: null, microDollars: null },
  };
  return defineScript({
    name: "steady",
    routes: {
      "O-A-1": [
        always("plan", () => call("propose_plan", { ...plan }), "[EVENT plan"),
        always("review", () => call("approve_merge_request", { comment: "" }), "[EVENT merge request ready]"),
        always("else", () => done),
      ],
      "agent-*": [
        always("works", (seen) => {
          onRequest?.(seen.role);
          const iteration = Number(/Iteration (\d+)/.exec(seen.opening)?.[1]);
          if (seen.turns === 0)
            return call("write_file", { path: `work/${seen.role}-${iteration}.txt`, content: "written\n" });
          return iteration < iterations ? { say: "On to the next." } : done;
        }),
      ],
      integrator: [always("together", () => done)],
      "validator-*": [
        always("votes", (seen) =>
          call("cast_vote", {
            vote: "approve",
            commit: /Commit: ([0-9a-f]+)/.exec(seen.prompt)?.[1] ?? "",
            reason: "Good.",
          }),
        ),
      ],
    },
  });
}

/** Its name as a choice of a model; each of its iterations asks as often as one of Hox's own agent, and writes as much. */
export const otherAgent = "scripted/claude-haiku-5-5";

const otherProgram = fileURLToPath(
  new URL("../src-main/external-agents/testing/scripted-agent.mjs", import.meta.url),
);

/** What an agent of another make does with each of its prompts. */
function otherAgentScript(iterations: number): string {
  const request = {
    model: "/v1/messages",
    body: {
      ...{ model: "claude-haiku-5-5", max_tokens: 1_000, stream: true, system: "Hox-Role: agent-1" },
      messages: [{ role: "user", content: `Iteration 1 ${"word ".repeat(400)}` }],
    },
  };
  return JSON.stringify(
    Array.from({ length: iterations }, (_, at) => [
      request,
      { write: `work/${at}.txt`, text: "written\n" },
      request,
    ]),
  );
}

const otherAgentTable = (script: string): string =>
  `[[agent]]\nname = "scripted"\ncommand = ${JSON.stringify([process.execPath, otherProgram, script])}\nenvironment = ["MODEL_URL={bridge}"]\nwire = "anthropic"\n`;

export interface SteadyRun {
  readonly folder: string;
  readonly root: string;
  readonly stateFolder: string;
  readonly standIn: StandIn;
  /** Opens the repository in a separate process. */
  host(more?: Pick<MeasuredHostOptions, "nodeArguments" | "workerPort">): Promise<MeasuredHost>;
  remove(): Promise<void>;
}

/** A repository with this number of small files. */
export const steadyFiles = (count = 200): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/${at % 20}/${at}.txt`, `${at}\n`]));

/** A repository of `files` files, and a model that takes `latencyMs` for every answer. */
export async function steadyRun(
  steady: Steady,
  {
    agents,
    latencyMs,
    beginMs = latencyMs,
    files,
    hasOther = false,
  }: {
    agents: number;
    latencyMs: number;
    /** When an answer begins. */
    beginMs?: number;
    files?: number;
    /** Whether `otherAgent` can be chosen. */
    hasOther?: boolean;
  },
): Promise<SteadyRun> {
  const scriptFolder = await mkdtemp(join(tmpdir(), "hox-bench-"));
  const script = join(scriptFolder, "script.json");
  await writeFile(script, otherAgentScript(steady.iterations));
  const repo = await createTestRepository({
    files: {
      ".hox/config.toml": `[loop_defaults]\nmax_iterations = 200\nmax_parallel_agents = ${agents}\n[backpressure]\nfast_checks = []\nslow_checks = []\n[gates]\nplan = "auto"\n[limits]\nchildren_per_orchestrator = ${Math.max(agents, 32)}\nworkers_per_run = ${agents + 64}\n${hasOther ? otherAgentTable(script) : ""}`,
      ...steadyFiles(files),
    },
  });
  await repo.terminal(["bookmark", "set", "main", "-r", "@-"]);
  const standIn = await startStandIn({
    script: steadyScript(steady),
    latencyMs,
    beginMs,
    keepRequests: false,
  });
  const root = join(repo.folder, "repo");
  const stateFolder = join(repo.folder, "state");
  await trustRepositoryConfig(stateFolder, root);
  return {
    folder: repo.folder,
    root,
    stateFolder,
    standIn,
    host: (more = {}) => MeasuredHost.start({ root, stateFolder, model: standIn, ...more }),
    async remove() {
      await standIn.close();
      await repo.remove();
      await rm(scriptFolder, { recursive: true, force: true });
    },
  };
}
