/** A plan of 40 tasks in four phases that waits for a user. */
import { defineScript } from "../src-main/model/stand-in/script.ts";
import { type StandIn, startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import type { Plan, PlannedTask } from "../src-shared/domain/plan/plan.ts";
import type { Playground } from "./host.ts";

const phases = [
  { title: "Read both formats", tasks: 10 },
  { title: "Move the callers", tasks: 12 },
  { title: "Second country", tasks: 10 },
  { title: "Take the old away", tasks: 8 },
];
const things = [
  "amounts in the invoice lines",
  "addresses in mail templates",
  "time zones of appointments",
  "the audit log and its search",
  "sessions that outlive a restart",
  "prices that depend on a date",
];
const priorities = ["critical", "high", "medium", "low"] as const;
const verbs = ["Read", "Move", "Translate", "Remove"];

const tasks: readonly PlannedTask[] = phases.flatMap((phase, index) =>
  Array.from({ length: phase.tasks }, (_, at): PlannedTask => {
    const number = phases.slice(0, index).reduce((sum, one) => sum + one.tasks, 0) + at + 1;
    return {
      id: `t${number}`,
      title: `${verbs[index]} ${things[at % things.length]}, part ${number}`,
      description: `One page of notes says how ${things[at % things.length]} come in today.\nKeep what is written there true.`,
      phase: index + 1,
      priority: priorities[(at * 7 + index) % 4] ?? "medium",
      // Three tasks of the second phase claim one file.
      files: [`src/${number}/work.ts`, ...(index === 1 && at < 3 ? ["CHANGELOG.md"] : [])],
      after: at === 9 ? [`t${number - 1}`] : index === 2 && at === 0 ? ["t11"] : [],
    };
  }),
);

const plan: Plan = {
  goal: "Make the service ready for its second country",
  summary:
    "First read both formats, then move whoever calls, then the second country, then take the old away.",
  orchestrators: { count: 1, reason: "Forty small tasks around one contract fit into one head." },
  contracts: { title: "Amounts and places", description: "", files: ["src/contracts/amount.ts"] },
  phases: phases.map(({ title }, index) => ({ number: index + 1, title })),
  tasks: [...tasks],
  integration: { title: "Bring it together", description: "" },
  budget: { tokens: null, microDollars: null },
};

export interface LargePlan {
  readonly root: string;
  readonly standIn: StandIn;
}

/** A repository whose orchestrator proposes it at once; `close` the model at the end. */
export async function largePlanIn(playground: Playground): Promise<LargePlan> {
  const standIn = await startStandIn({
    keepRequests: false,
    script: defineScript({
      name: "large-plan",
      routes: {
        "O-A-1": [
          {
            name: "plan",
            prompt: "[EVENT plan",
            optional: true,
            steps: [() => ({ calls: [{ tool: "propose_plan", input: { ...plan } }] })],
          },
          {
            name: "else",
            optional: true,
            steps: Array.from({ length: 20 }, () => () => ({
              calls: [{ tool: "report_done", input: { summary: "Done." } }],
            })),
          },
        ],
        "agent-*": [
          {
            name: "works",
            optional: true,
            steps: Array.from({ length: 20 }, () => () => ({ say: "I read what is there." })),
          },
        ],
      },
    }),
  });
  playground.answeredBy(standIn);
  const root = await playground.repository("service", ["The service as it is", "A price table"]);
  await playground.configure(
    root,
    [
      "[backpressure]",
      'fast_checks = ["true"]',
      "slow_checks = []",
      'preflight = "off"',
      "[loop_defaults]",
      "max_parallel_agents = 2",
      "[limits]",
      "children_per_orchestrator = 60",
      "",
    ].join("\n"),
  );
  await playground.jj(root, ["commit", "-m", "Settings for agents"]);
  await playground.jj(root, ["bookmark", "set", "main", "-r", "@-"]);
  return { root, standIn };
}
