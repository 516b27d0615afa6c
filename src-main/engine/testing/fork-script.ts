/** An agent that forks itself, and what it heard of its forks. */
import type { RunView } from "#shared/contract/views/run.ts";
import type { ForkResult } from "#shared/domain/fork/fork-events.ts";
import type { Scene, Script } from "../../model/stand-in/script.ts";
import type { StandInRequest } from "../../model/stand-in/stand-in.ts";
import type { Fixture } from "./run-fixture.ts";
import { calmAgents, done, exampleFiles, joinsIndex, rewrite } from "./three-agents-script.ts";

/** A call of `fork_subagent`. */
export const fork = (task: string, agent = "") => ({ tool: "fork_subagent", input: { agent, task } });
/** What a fork answers. */
export const last = (text: string): Scene["steps"][number] => ({ say: text });
export const clone = (task: string, ...steps: Scene["steps"]): Scene => ({
  name: `clone: ${task}`,
  prompt: task,
  steps,
});

/** The store's agent forks itself; what its clones do is the caller's to say. */
export const forking = (calls: readonly ReturnType<typeof fork>[], ...clones: readonly Scene[]): Script => ({
  ...calmAgents,
  name: "forking",
  routes: {
    ...calmAgents.routes,
    "agent-1": [
      joinsIndex,
      ...clones,
      {
        name: "works",
        steps: [
          { calls: [{ tool: "read_file", input: { path: "src/contract.txt" } }] },
          { say: "Others do it.", calls },
          ...rewrite("src/index.txt", "the store\n"),
          done("The store keeps users."),
        ],
      },
    ],
  },
});

/** The first request that says so. */
export const requestWith = (one: Fixture, words: string): StandInRequest => {
  const found = one.standIn.requests().find(({ seen }) => seen.prompt.includes(words));
  if (!found) throw new Error(`Nobody was asked "${words}".`);
  return found;
};
/** What the caller heard of its forks, in the order of its calls. */
export const results = (one: Fixture, role = "agent-1"): readonly ForkResult[] => {
  const heard = one.standIn
    .requests()
    .filter(({ seen }) => seen.role === role && !seen.prompt.includes("[FORK]"))
    .map(({ seen }) => seen.results.filter(({ tool }) => tool === "fork_subagent"))
    .find((all) => all.length > 0 && all.every(({ output }) => output.startsWith("{")));
  return (heard ?? []).map(({ output }) => JSON.parse(output) as ForkResult);
};

/** The example with these lines under `[hive]`. */
export const hive = (...lines: readonly string[]): Readonly<Record<string, string>> => ({
  ...exampleFiles,
  ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[hive]\n${lines.join("\n")}\n`,
});

/** Its caller has heard of its forks, and its work is done; what comes after that shows nothing of forks. */
export const forkedAndDone = ({ workers }: RunView): boolean =>
  workers.some(({ name, status }) => name === "agent-1" && status === "done");
