/** A run of many agents, each with different work, none of which finishes without a command. */
import {
  defineScript,
  type Scene,
  type Script,
  type Seen,
  type Step,
} from "../src-main/model/stand-in/script.ts";
import { type StandIn, startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import type { Plan } from "../src-shared/domain/plan/plan.ts";
import type { Playground } from "./host.ts";

const subjects = [
  "profile store",
  "session tokens",
  "invoice lines",
  "search index",
  "mail templates",
  "audit log",
  "rate limits",
  "price table",
  "time zones",
  "upload queue",
  "access rules",
  "health page",
  "data export",
  "dark colours",
  "undo stack",
  "image sizes",
];
const verbs = ["Write the", "Move the", "Split the", "Cache the"];
const titleOf = (at: number): string =>
  `${verbs[Math.floor(at / subjects.length) % verbs.length]} ${subjects[at % subjects.length]}`;
const priorities = ["critical", "high", "medium", "low"] as const;

const planOf = (tasks: number): Plan => ({
  goal: "Make the service ready for its second country",
  summary: "",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "Names and amounts that all share", description: "", files: [] },
  phases: [{ number: 1, title: "Build" }],
  tasks: Array.from({ length: tasks }, (_, at) => ({
    id: `t${at + 1}`,
    title: titleOf(at),
    description: "",
    phase: 1,
    priority: at < 1 ? priorities[0] : (priorities[1 + (at % 3)] ?? "low"),
    files: [`work/${at + 1}.txt`],
    after: [],
  })),
  integration: { title: "Bring it together", description: "" },
  budget: { tokens: null, microDollars: null },
});

const call = (tool: string, input: Record<string, unknown>): Step => ({ calls: [{ tool, input }] });
const always = (name: string, step: (seen: Seen) => Step, prompt?: Scene["prompt"]): Scene => ({
  name,
  optional: true,
  ...(prompt === undefined ? {} : { prompt }),
  steps: Array.from({ length: 40 }, () => step),
});

const sayings = [
  "The old format still comes in from the importer, so both are read.",
  "All amounts go through one function now.",
  "The slow query was the missing index.",
  "Two callers relied on the order; both sort for themselves now.",
];
const numberOf = (role: string): number => Number(/\d+/.exec(role)?.[0] ?? 0);
const todos = (iteration: number) =>
  ["Read what is there", "Write the new part", "Move the callers", "Take the old one away"].map(
    (content, at) => ({
      content,
      status: at < iteration ? "completed" : at === iteration ? "in_progress" : "pending",
      activeForm: content,
    }),
  );

/** What an agent does next: it keeps a list, writes, tells others, and now and then two touch the same file. */
function work(seen: Seen): Step {
  const agent = numberOf(seen.role);
  const iteration = Number(/Iteration (\d+)/.exec(seen.opening)?.[1] ?? 1);
  const say = sayings[(agent + iteration) % sayings.length] ?? "";
  const shared = agent % 8 === 3 || agent % 8 === 4;
  switch (seen.turns) {
    case 0:
      return { ...call("todo", { todos: todos(iteration) }), say };
    case 1:
      return call("write_file", {
        path: shared ? `work/shared-${Math.floor(agent / 8)}.txt` : `work/${seen.role}.txt`,
        content: `${seen.role} ${iteration}\n`,
      });
    case 2:
      if (agent === 2 && iteration === 1)
        return call("align_request", {
          question: "Are amounts kept in cents or in tenths of a cent?",
          options: ["Cents", "Tenths of a cent"],
          blocking: true,
        });
      return call("run_checks", {});
    default:
      return { say };
  }
}

const manyAgents = (tasks: number): Script =>
  defineScript({
    name: "many-agents",
    routes: {
      "O-A-1": [
        always("plan", () => call("propose_plan", { ...planOf(tasks) }), "[EVENT plan"),
        always(
          "question",
          () =>
            call("ask_user", {
              question: "Are amounts kept in cents or in tenths of a cent?",
              options: ["Cents", "Tenths of a cent"],
            }),
          /^\[EVENT align-request\]/u,
        ),
        always(
          "answer",
          (seen) =>
            call("answer_agent", {
              agent: "agent-2",
              answer: /tenths/iu.test(seen.prompt) ? "Tenths of a cent." : "Cents.",
            }),
          /^\[EVENT user answered\]/u,
        ),
        always("else", () => call("report_done", { summary: "Done." })),
      ],
      "agent-*": [always("works", work)],
    },
  });

export interface ManyAgents {
  readonly root: string;
  readonly standIn: StandIn;
}

/** A repository and a model for this number of agents at once; `close` the model at the end. */
export async function manyAgentsIn(playground: Playground, tasks: number, pace = 0): Promise<ManyAgents> {
  const standIn = await startStandIn({ script: manyAgents(tasks), keepRequests: false, pace });
  playground.answeredBy(standIn);
  const root = await playground.repository("service", [
    "The service as it is",
    "A price table",
    "Mail by country",
  ]);
  await playground.configure(
    root,
    [
      "[loop_defaults]",
      "max_iterations = 1000",
      `max_parallel_agents = ${tasks}`,
      "[backpressure]",
      'fast_checks = ["true"]',
      "slow_checks = []",
      'preflight = "off"',
      "[gates]",
      'plan = "auto"',
      "[limits]",
      `children_per_orchestrator = ${tasks + 1}`,
      "",
    ].join("\n"),
  );
  await playground.jj(root, ["commit", "-m", "Settings for agents"]);
  await playground.jj(root, ["bookmark", "set", "main", "-r", "@-"]);
  return { root, standIn };
}
