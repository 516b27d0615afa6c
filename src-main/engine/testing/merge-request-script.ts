import type { RunView } from "#shared/contract/views/run.ts";
import type { Scene, Script, ScriptedStep, Seen } from "../../model/stand-in/script.ts";
import type { Fixture } from "./run-fixture.ts";
import { exampleFiles, plan, threeAgents } from "./three-agents-script.ts";

export const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });
export const worker = (run: RunView, name: string) => {
  const found = run.workers.find((one) => one.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
};
export const merged =
  (...names: readonly string[]) =>
  (run: RunView) =>
    names.every((name) =>
      run.workers.some((w) => w.name === name && w.mergeRequest?.state.stage === "merged"),
    );
/** `[EVENT merge request ready]` about this agent, in this round. */
export const aboutMergeRequest = (agent: string, round: number) => (seen: Seen) =>
  seen.prompt.startsWith("[EVENT merge request ready]") &&
  seen.prompt.includes(`${agent} reports that its task is done`) &&
  seen.prompt.includes(`Round ${round}.`);

/** Tasks that depend on nobody, by agents that do as the test says. */
export function scriptOf(
  agents: Readonly<Record<string, readonly Scene[]>>,
  orchestrator: readonly Scene[] = [],
): Script {
  const names = Object.keys(agents).filter((name) => name.startsWith("agent-"));
  const tasks = names.map((name, at) => ({
    ...(plan.tasks[at] ?? plan.tasks[0]),
    id: name,
    title: `Task of ${name}`,
    files: [],
    after: [],
  }));
  return {
    name: "merges",
    routes: {
      ...threeAgents.routes,
      "O-A-1": [
        ...orchestrator,
        {
          name: "plan",
          prompt: /^\[EVENT plan\]/,
          steps: [call("propose_plan", { ...plan, tasks })],
        },
        ...(threeAgents.routes["O-A-1"] ?? []).filter((scene) => scene.name !== "plan"),
      ],
      ...agents,
    },
  };
}

export const works = (...steps: readonly ScriptedStep[]): readonly Scene[] => [{ name: "works", steps }];
export const config = (lines: string) => ({
  ...exampleFiles,
  ".hox/config.toml": `[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\npreflight = "off"\n${lines}`,
});
/** Settings of a run without reviews, a panel or learning. */
export const lean = '[workflow]\nreviews = "off"\npanel = "off"\nlearning = "off"\n';
export const show = (one: Fixture, revset: string, path: string) =>
  one.repo.terminal(["file", "show", "--ignore-working-copy", "-r", revset, path]);
export const parentsOf = async (one: Fixture, change: string | null) =>
  (
    await one.repo.terminal([
      "log",
      "--ignore-working-copy",
      "--no-graph",
      "-r",
      `${change}-`,
      "-T",
      'change_id ++ " "',
    ])
  )
    .trim()
    .split(" ");
