import type { Plan } from "#shared/domain/plan/plan.ts";
import {
  defineScript,
  type Scene,
  type Script,
  type ScriptedStep,
  type Seen,
} from "../../model/stand-in/script.ts";

/** Files of the small repository that the scripted run works on. */
export const exampleFiles: Readonly<Record<string, string>> = {
  "readme.md": "# Example\n",
  "check.sh": "! grep -rn BROKEN src\n",
  ".hox/config.toml": '[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\npreflight = "off"\n',
};

export const plan: Plan = {
  goal: "Keep users",
  summary: "A store, an API and a view over one contract.",
  orchestrators: { count: 1, reason: "Three tasks need one." },
  contracts: { title: "What a user is", description: "One contract for all.", files: ["src/contract.txt"] },
  phases: [{ number: 1, title: "Build" }],
  tasks: ["store", "api", "view"].map((id, index) => ({
    id,
    title: `Write the ${id}`,
    description: `Write src/${id}.txt after the contract.`,
    phase: 1,
    priority: index === 0 ? ("high" as const) : ("medium" as const),
    files: [`src/${id}.txt`],
    after: [],
  })),
  integration: { title: "Bring it together", description: "No conflicts, all checks pass." },
  budget: { tokens: null, microDollars: null },
};

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });
export const write = (path: string, content: string) => call("write_file", { path, content });
export const done = (summary: string) => call("report_done", { summary });
/** Reads a file and writes it anew; what is there may be there from an iteration before. */
export const rewrite = (path: string, content: string): readonly ScriptedStep[] => [
  call("read_file", { path }),
  write(path, content),
];

/** Adds a line to the index, and keeps that of another one whose work is there by then. */
const addToIndex = (line: string): readonly ScriptedStep[] => [
  call("read_file", { path: "src/index.txt" }),
  ({ results }) => {
    const isThere = (one: string) => one === line || results.some(({ output }) => output.includes(one));
    const lines = ["the store", "the view"].filter(isThere);
    return write("src/index.txt", lines.map((one) => `${one}\n`).join(""));
  },
];

/** An orchestrator that accepts whatever passed its checks, and lets agents continue whose work would conflict. */
export const acceptsMergeRequests: Scene = {
  name: "accepts finished work",
  prompt: /^\[EVENT (?:merge request ready|conflict forecast)\]/,
  steps: [
    (seen) =>
      seen.prompt.startsWith("[EVENT conflict forecast]")
        ? done("Both continue.")
        : call("approve_merge_request", { comment: "As asked." }),
  ],
  optional: true,
};

const orchestrator: readonly Scene[] = [
  acceptsMergeRequests,
  {
    name: "plan",
    prompt: /^\[EVENT plan(?: changed)?\]/,
    steps: [call("list_files", { path: "." }), call("propose_plan", { ...plan })],
  },
  {
    name: "contracts",
    prompt: /^\[EVENT contracts\]/,
    steps: [write("src/contract.txt", "id: userId\nname: text\n"), done("The contract stands.")],
  },
  {
    name: "question",
    prompt: /^\[EVENT align-request\]/,
    steps: [call("ask_user", { question: "How is the id called?", options: ["userId", "user_id"] })],
  },
  {
    name: "decision",
    prompt: /^\[EVENT user answered\]/,
    steps: [
      call("propose_mutation", {
        title: "The id is called user_id",
        reason: "The user wants snake case.",
        edits: [{ path: "src/contract.txt", old_text: "id: userId", new_text: "id: user_id" }],
      }),
    ],
  },
  {
    name: "answer",
    prompt: /^\[EVENT mutation (?:applied|rejected)\]/,
    steps: [call("answer_agent", { agent: "agent-2", answer: "Call it user_id." })],
  },
  {
    name: "learn",
    prompt: /^\[EVENT learn\]/,
    steps: [
      (seen) =>
        call("propose_pattern", {
          name: "ask-before-naming",
          category: "communication",
          confidence: 0.8,
          markdown: `---\nname: ask-before-naming\ncategory: communication\nconfidence: 0.8\nrun: ${/run is ([\w-]+)/.exec(seen.prompt)?.[1]}\nevidence: mutations >= 1\n---\n\n# Ask before naming\n\nNames that several tasks share are asked for before they are used.\n`,
        }),
    ],
  },
];

/** Store and view both write the index: the one that finishes later keeps both lines. */
export const joinsIndex: Scene = {
  name: "brings both together",
  prompt: "## Conflicts",
  steps: [...rewrite("src/index.txt", "the store\nthe view\n"), done("Together with the other's line.")],
  optional: true,
};

/** Work that leaves a mark in the contract, which the decision contradicts. */
const store: readonly Scene[] = [
  joinsIndex,
  {
    // It was decided, or its host ended, before it came to its own file.
    name: "corrects itself in the middle of its work",
    prompt: ({ prompt }) => prompt.includes("## Conflict with a decision") && /Iteration 1\b/u.test(prompt),
    steps: [
      ...rewrite("src/contract.txt", "id: user_id # kept by the store\nname: text\n"),
      ...addToIndex("the store"),
      write("src/store.txt", "keeps users\n"),
      done("Follows the decision."),
    ],
    optional: true,
  },
  {
    name: "corrects itself",
    prompt: "## Conflict with a decision",
    steps: [
      ...rewrite("src/contract.txt", "id: user_id # kept by the store\nname: text\n"),
      done("Follows the decision."),
    ],
  },
  {
    name: "works",
    steps: [
      call("read_file", { path: "src/contract.txt" }),
      // Whoever begins after the decision reads of it and follows it at once.
      (seen) =>
        write(
          "src/contract.txt",
          `id: ${seen.prompt.includes("## Decisions") ? "user_id" : "userId"} # kept by the store\nname: text\n`,
        ),
      ...addToIndex("the store"),
      write("src/store.txt", "keeps users\n"),
      done("The store keeps users."),
    ],
  },
];

const api: readonly Scene[] = [
  {
    name: "goes on",
    prompt: "Call it user_id.",
    steps: [write("src/api.txt", "GET /users/:user_id\n"), done("The API speaks of user_id.")],
  },
  {
    name: "asks",
    steps: [
      call("align_request", {
        question: "userId or user_id?",
        options: ["userId", "user_id"],
        blocking: true,
      }),
    ],
  },
];

const view: readonly Scene[] = [
  joinsIndex,
  {
    name: "works",
    steps: [write("src/view.txt", "BROKEN\n"), done("First try.")],
    prompt: (seen) => !seen.prompt.includes("## Last checks"),
  },
  {
    name: "repairs",
    steps: [
      ...rewrite("src/view.txt", "shows users\n"),
      ...addToIndex("the view"),
      done("The view shows users."),
    ],
  },
];

/** One whose work never passes its check, so that it is still at it whenever a test comes to it. */
export const neverDone: readonly Scene[] = [
  { name: "tries again", steps: [write("src/view.txt", "BROKEN\n"), done("Another try.")] },
];
/** The example with room for as many tries as a slow machine needs. */
export const patientFiles: Readonly<Record<string, string>> = {
  ...exampleFiles,
  ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[loop_defaults]\nmax_iterations = 1000\n\n[merge_requests]\nstalled_iterations = 1000\n`,
};

const integrator: readonly Scene[] = [
  {
    name: "brings together",
    steps: [...rewrite("src/index.txt", "the store\nthe view\n"), done("All is together.")],
  },
];

export const vote = (answer: "approve" | "reject"): readonly Scene[] => [
  {
    name: "votes",
    prompt: "[VALIDATE]",
    steps: [
      (seen: Seen) =>
        call("cast_vote", {
          vote: answer,
          commit: /Commit: ([0-9a-f]+)/.exec(seen.prompt)?.[1] ?? "",
          reason: answer === "approve" ? "It does what was asked." : "I do not like it.",
        }),
    ],
  },
];

export const threeAgents: Script = defineScript({
  name: "three-agents",
  routes: {
    "O-A-1": orchestrator,
    "agent-1": store,
    "agent-2": api,
    "agent-3": view,
    integrator,
    "validator-3": vote("reject"),
    "validator-*": vote("approve"),
  },
});

/** The same work without a question, so that nothing is decided on the way. */
export const calmAgents: Script = defineScript({
  name: "calm-agents",
  routes: {
    ...threeAgents.routes,
    "agent-2": [
      {
        name: "works",
        steps: [write("src/api.txt", "GET /users/:userId\n"), done("The API speaks of userId.")],
      },
    ],
  },
});

/** The same three agents, of whom the orchestrator plans in another way. */
export const threeAgentsPlanned = (...steps: Scene["steps"]): Script => ({
  ...threeAgents,
  routes: {
    ...threeAgents.routes,
    "O-A-1": orchestrator.map((scene) => (scene.name === "plan" ? { ...scene, steps } : scene)),
  },
});
