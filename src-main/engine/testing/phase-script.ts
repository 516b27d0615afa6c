/** Two phases, the first of which does not pass the checks as a whole before somebody has repaired it. */
import type { Plan } from "#shared/domain/plan/plan.ts";
import { defineScript, type Scene, type Script } from "../../model/stand-in/script.ts";
import { acceptsMergeRequests, done, plan, write } from "./three-agents-script.ts";
import { seat } from "./verdict-script.ts";

const phased: Plan = {
  ...plan,
  phases: [
    { number: 1, title: "Build" },
    { number: 2, title: "Show" },
  ],
  tasks: plan.tasks.map((task) => ({ ...task, phase: task.id === "view" ? 2 : 1 })),
};

const configFile = ".hox/config.toml";

export const phaseFiles = (...validation: readonly string[]): Readonly<Record<string, string>> => ({
  "readme.md": "# Example\n",
  // Red only where both lie together and nobody has said so.
  "check.sh": "if [ -e src/store.txt ] && [ -e src/api.txt ]; then test -e src/together.txt; fi\n",
  [configFile]: [
    "[backpressure]",
    'fast_checks = ["sh check.sh"]',
    "slow_checks = []",
    'preflight = "off"',
    "[merge_requests]",
    'strategy = "merge"',
    "[validation]",
    "validator_count = 1",
    'phases = "checks"',
    ...validation,
    "[workflow]",
    'contracts = "off"',
    'learning = "off"',
  ].join("\n"),
});

/** The same, and seats judge the phase once its checks pass. */
export function judgedPhaseFiles(...validation: readonly string[]): Readonly<Record<string, string>> {
  const files = phaseFiles(...validation);
  const config = files[configFile] ?? "";
  return { ...files, [configFile]: config.replace('phases = "checks"', 'phases = "seats"') };
}

const writes = (id: string, ...more: readonly Scene[]): readonly Scene[] => [
  ...more,
  { name: "works", steps: [write(`src/${id}.txt`, `the ${id}\n`), done(`The ${id} is written.`)] },
];

export const repairsPhase: Scene = {
  name: "repairs the phase",
  prompt: "Phase 1 failed",
  steps: [write("src/together.txt", "both\n"), done("Both are together.")],
};

/** The same, where a user has said what to do. */
export const repairsPhaseAsRequested: Scene = { ...repairsPhase, prompt: "The user says: Join them." };

export const phaseScript = (...repair: readonly Scene[]): Script =>
  defineScript({
    name: "phases",
    routes: {
      "O-A-1": [
        acceptsMergeRequests,
        {
          name: "plan",
          prompt: /^\[EVENT plan(?: changed)?\]/u,
          steps: [{ calls: [{ tool: "propose_plan", input: { ...phased } }] }],
        },
      ],
      "agent-1": writes("store", ...repair),
      "agent-2": writes("api", ...repair),
      // It builds on both, so nothing of its own passes before they fit.
      "agent-3": [
        {
          name: "works",
          steps: [
            write("src/view.txt", "the view\n"),
            write("src/together.txt", "both\n"),
            done("It is shown."),
          ],
        },
      ],
      integrator: [
        { name: "brings together", steps: [write("src/together.txt", "both\n"), done("Together.")] },
      ],
      "validator-1": seat(() => "approve"),
    },
  });

/** The same, with what the seats of the phase say. */
export function judgedPhaseScript(
  seats: Readonly<Record<string, readonly Scene[]>>,
  ...repair: readonly Scene[]
): Script {
  const script = phaseScript(...repair);
  return { ...script, routes: { ...script.routes, ...seats } };
}
