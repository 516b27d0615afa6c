/** Two orchestrators below the root with two agents each: one question that goes up to a user, one word to all peers. */
import type { Plan } from "#shared/domain/plan/plan.ts";
import { defineScript, type Scene, type Script, type Seen } from "../../model/stand-in/script.ts";
import { done, exampleFiles, vote, write } from "./three-agents-script.ts";

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });

export const twoLevelFiles: Readonly<Record<string, string>> = {
  ...exampleFiles,
  ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}[validation]\nvalidator_count = 1\n`,
};

const parts = { server: ["routes", "storage"], client: ["page", "cache"] } as const;
export type Part = keyof typeof parts;

export const rootPlan: Plan = {
  goal: "Keep users",
  summary: "A server and a client over one contract, each planned by an orchestrator of its own.",
  orchestrators: { count: 3, reason: "Server and client share one contract and nothing else." },
  contracts: { title: "What a user is", description: "One contract for all.", files: ["src/contract.txt"] },
  phases: [{ number: 1, title: "Build" }],
  tasks: (Object.keys(parts) as readonly Part[]).map((part) => ({
    id: part,
    title: `Build the ${part}`,
    description: `Everything in src/${part}/.`,
    phase: 1,
    priority: "medium" as const,
    files: [`src/${part}/`],
    after: [],
    delegate: true,
  })),
  integration: { title: "Bring both together", description: "All checks pass." },
  budget: { tokens: null, microDollars: null },
};

export const partPlan = (part: Part): Plan => ({
  goal: `Build the ${part}`,
  summary: `${parts[part].join(" and ")}, side by side.`,
  orchestrators: { count: 1, reason: "Two agents are enough." },
  contracts: { title: `What the ${part} shares`, description: "", files: [`src/${part}/contract.txt`] },
  phases: [{ number: 1, title: "Build" }],
  tasks: parts[part].map((id) => ({
    id,
    title: `Write the ${id}`,
    description: `Write src/${part}/${id}.txt.`,
    phase: 1,
    priority: "medium" as const,
    files: [`src/${part}/${id}.txt`],
    after: [],
  })),
  integration: { title: `Bring the ${part} together`, description: "" },
  budget: { tokens: null, microDollars: null },
});

/** What the server's orchestrator tells everyone. */
export const peerWord = "The server listens on port 4000.";
/** What the user decides. */
export const answer = "Keep them for 30 days.";

const proposes = (name: string, prompt: RegExp, plan: (seen: Seen) => Plan): Scene => ({
  name,
  prompt,
  steps: [(seen) => call("propose_plan", { ...plan(seen) })],
  optional: true,
});

const root = (first: Plan, changed: Plan): readonly Scene[] => [
  proposes("plan", /^\[EVENT plan\]/, () => first),
  proposes("another plan", /^\[EVENT plan changed\]/, () => changed),
  {
    name: "contracts",
    prompt: /^\[EVENT contracts\]/,
    steps: [write("src/contract.txt", "id: userId\n"), done("The contract stands.")],
  },
  {
    name: "question",
    prompt: /^\[EVENT align-request\]/,
    steps: [call("ask_user", { question: "How long are users kept?", options: ["30 days", "for ever"] })],
  },
  {
    name: "answer",
    prompt: /^\[EVENT user answered\]/,
    steps: [call("answer_agent", { agent: "O-B-1", answer })],
  },
  { name: "message", prompt: /^\[EVENT message\]/, steps: [done("Noted.")] },
  {
    name: "sends a part back once",
    prompt: /^\[EVENT merge request ready\][\s\S]*Round 1\.[^\n]*Build the server/,
    steps: [
      (seen) => call("show_changes", { of: /O-B-\d/u.exec(seen.prompt)?.[0] ?? "" }),
      call("request_changes", { reason: "Say in index.txt on which port it listens." }),
    ],
  },
  { name: "learn", prompt: /^\[EVENT learn\]/, steps: [done("Nothing new.")] },
];

const partOf = (seen: Seen): Part => (seen.opening.includes("Build the server") ? "server" : "client");

type PlanOfPart = (part: Part, prompt: string) => Plan;

const below = (first: PlanOfPart, changed: PlanOfPart): readonly Scene[] => [
  proposes("plan", /^\[EVENT plan\]/, (seen) => first(partOf(seen), seen.prompt)),
  proposes("another plan", /^\[EVENT plan changed\]/, (seen) => changed(partOf(seen), seen.prompt)),
  {
    name: "server contracts",
    prompt: (seen) => seen.prompt.startsWith("[EVENT contracts]") && partOf(seen) === "server",
    steps: [
      write("src/server/contract.txt", "port: 4000\n"),
      call("inform", { to: "O-*", text: peerWord }),
      done("The server's contract stands."),
    ],
  },
  {
    name: "client contracts",
    prompt: /^\[EVENT contracts\]/,
    steps: [write("src/client/contract.txt", "port: of the server\n"), done("The client's contract stands.")],
  },
  {
    name: "question",
    prompt: /^\[EVENT align-request\]/,
    steps: [
      // What binds the client too is not its own to decide, and it is told so.
      call("propose_mutation", {
        title: "Users are kept for 30 days",
        reason: "Somebody has to say it.",
        edits: [{ path: "src/contract.txt", old_text: "id: userId", new_text: "id: userId\nkeep: 30 days" }],
      }),
      call("escalate", {
        question: "How long does the storage keep users?",
        options: ["30 days", "for ever"],
      }),
    ],
  },
  {
    name: "decision in its own part",
    prompt: /^\[EVENT escalation answered\]/,
    steps: [
      call("propose_mutation", {
        title: "The server keeps users for 30 days",
        reason: "The user says so.",
        edits: [
          { path: "src/server/contract.txt", old_text: "port: 4000", new_text: "port: 4000\nkeep: 30 days" },
        ],
      }),
    ],
  },
  {
    name: "answer",
    prompt: /^\[EVENT mutation (?:applied|rejected)\]/,
    steps: [
      (seen) => call("answer_agent", { agent: /^Answer (\S+) now\./m.exec(seen.prompt)?.[1] ?? "", answer }),
    ],
  },
  { name: "message", prompt: /^\[EVENT message\]/, steps: [done("Noted.")] },
  { name: "the user's word", prompt: /^\[EVENT user message\]/, steps: [done("I mind it.")], optional: true },
];

const file = (seen: Seen): string =>
  /^- (src\/\S+)$/m.exec(seen.prompt.split("Files that are yours:")[1] ?? "")?.[1] ?? "";

const agents: readonly Scene[] = [
  {
    name: "goes on with the answer",
    prompt: answer,
    steps: [(seen) => write(file(seen), "keeps users for 30 days\n"), done("As the user wants it.")],
  },
  {
    name: "asks",
    prompt: "[TASK] Write the storage",
    steps: [call("align_request", { question: "How long are users kept?", options: [], blocking: true })],
  },
  {
    name: "works",
    steps: [(seen) => write(file(seen), "works\n"), done("It is written.")],
  },
];

const integrators: readonly Scene[] = [
  {
    name: "repairs what its parent names",
    prompt: "Say in index.txt on which port it listens.",
    steps: [
      call("read_file", { path: "src/server/index.txt" }),
      write("src/server/index.txt", "server together on port 4000\n"),
      done("The port is named."),
    ],
  },
  {
    name: "wires",
    steps: [
      (seen) => {
        const part = /^\[INTEGRATE\] Bring the (\w+) together/.exec(seen.prompt)?.[1];
        return write(part ? `src/${part}/index.txt` : "src/index.txt", `${part ?? "all"} together\n`);
      },
      done("All is together."),
    ],
  },
];

/** @param plans what is proposed first, by the root and by each part, and what after that was not accepted */
export const twoLevelsWith = (
  plans: {
    readonly root?: Plan;
    readonly changed?: Plan;
    readonly part?: PlanOfPart;
    readonly partChanged?: PlanOfPart;
  } = {},
): Script =>
  defineScript({
    name: "two-levels",
    routes: {
      "O-A-1": root(plans.root ?? rootPlan, plans.changed ?? rootPlan),
      "O-B-*": below(plans.part ?? partPlan, plans.partChanged ?? partPlan),
      "agent-*": agents,
      "integrator*": integrators,
      "validator-*": vote("approve"),
    },
  });

export const twoLevels = twoLevelsWith();

/** The client is planned when the server is done. */
export const oneAfterAnother: Plan = {
  ...rootPlan,
  phases: [
    { number: 1, title: "Serve" },
    { number: 2, title: "Show" },
  ],
  tasks: rootPlan.tasks.map((task) =>
    task.id === "client" ? { ...task, phase: 2, after: ["server"] } : task,
  ),
};

/** Only the server is delegated. */
export const oneDelegated: Plan = {
  ...rootPlan,
  orchestrators: { count: 2, reason: "The client is one file." },
  tasks: rootPlan.tasks.map((task) => ({ ...task, delegate: task.id === "server" })),
};

/** Nothing is delegated. */
export const alone: Plan = {
  ...rootPlan,
  orchestrators: { count: 1, reason: "Two agents fit into one head." },
  tasks: rootPlan.tasks.map((task) => ({ ...task, delegate: false })),
};
