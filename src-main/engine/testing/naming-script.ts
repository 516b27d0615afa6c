import {
  defineScript,
  type Scene,
  type Script,
  type ScriptedStep,
  type Seen,
} from "../../model/stand-in/script.ts";
import { done, exampleFiles, plan, threeAgents, write } from "./three-agents-script.ts";

/** Nobody reviews merge requests here: what a decision does to work is the story. */
export const namingFiles: Readonly<Record<string, string>> = {
  ...exampleFiles,
  ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[merge_requests]\nreview = "none"\n`,
};

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });
const read = (path: string) => call("read_file", { path });
const edit = (path: string, old_text: string, new_text: string) =>
  call("edit_file", { path, old_text, new_text });
const run = (command: string) => call("run_command", { command });

const ids = "src/ids.js";
const names = "src/names.js";
/** Both files in one command: half a decision would show one of them old and one new. */
const watching = `for i in 1 2 3 4 5 6; do cat ${ids} ${names}; echo; sleep 0.05; done`;

const tasks = (all: readonly string[]) =>
  all.map((id) => ({
    id,
    title: `Write the ${id}`,
    description: `Write src/${id}.js after the contract.`,
    phase: 1,
    priority: "medium" as const,
    files: [`src/${id}.js`],
    after: [],
  }));

/** Over the contract that its orchestrator writes. */
const planOf = (...all: readonly string[]) => ({
  ...plan,
  contracts: { ...plan.contracts, files: [ids, names] },
  tasks: tasks(all),
});

const orchestrator = (threeAgents.routes["O-A-1"] ?? []).map((scene): Scene => {
  if (scene.name === "plan")
    return { ...scene, steps: [call("propose_plan", planOf("store", "api", "view"))] };
  if (scene.name === "contracts")
    return {
      ...scene,
      steps: [
        write(ids, 'export const idField = "userId";\n'),
        write(names, "// userId, as the store says\nexport const nameOf = (user) => user.userId;\n"),
        done("The contract stands."),
      ],
    };
  if (scene.name === "decision")
    return {
      ...scene,
      steps: [
        call("propose_mutation", {
          title: "The id is called user_id",
          reason: "The user wants snake case.",
          edits: [
            { path: ids, old_text: '"userId"', new_text: '"user_id"' },
            { path: names, old_text: "user.userId", new_text: "user.user_id" },
          ],
        }),
      ],
    };
  return scene;
});

/** Uses the old name in a file of its own, which no decision's edit can conflict with. */
const store: readonly Scene[] = [
  {
    name: "follows",
    prompt: "## Contradiction of a decision",
    steps: [
      read("src/store.js"),
      edit("src/store.js", "row.userId", "row.user_id"),
      done("The store follows the decision."),
    ],
  },
  {
    name: "works",
    steps: [
      write("src/store.js", "export const keep = (row) => table.set(row.userId, row);\n"),
      done("The store keeps users."),
    ],
  },
];

/** Asks, is answered, and first tries to have the name that it likes better. */
const api: readonly Scene[] = [
  {
    name: "takes it back no more",
    prompt: "## Contradiction of a decision",
    steps: [
      run(`sed -i s/userId/user_id/ ${ids}`),
      write("src/api.js", 'export const path = "/users/:user_id";\n'),
      done("The API speaks of user_id."),
    ],
  },
  {
    name: "takes it back",
    prompt: "Call it user_id.",
    steps: [
      read(ids),
      edit(ids, '"user_id"', '"userId"'),
      write(ids, 'export const idField = "userId"; // nicer\n'),
      run(`sed -i s/user_id/userId/ ${ids}`),
      done("I prefer userId."),
    ],
  },
  {
    name: "asks",
    steps: [call("align_request", { question: "userId or user_id?", options: [], blocking: true })],
  },
];

/** Runs commands over the contract for as long as the decision has not come. */
const looking = (seen: Seen) => {
  const last = seen.results.at(-1)?.output ?? "";
  return last.includes("user_id") ? null : run(watching);
};
const view: readonly Scene[] = [
  {
    name: "watches",
    steps: Array.from(
      { length: 62 },
      (): ScriptedStep => (seen) =>
        looking(seen) ??
        (seen.history.some((one) => one.tool === "write_file")
          ? done("The view shows users.")
          : write("src/view.js", 'import { idField } from "./ids.js";\nexport const shown = idField;\n')),
    ),
  },
];

/** Where the judge sees the old name used for the same thing, it says so. */
const judge: readonly Scene[] = [
  {
    name: "judges",
    prompt: "[COMPLY]",
    steps: [
      (seen) => {
        const at = /^- (src\/store\.js):(\d+): /mu.exec(seen.prompt);
        return call("judge_compliance", {
          complies: at === null,
          reason: at ? "The store still reads userId; rows have user_id now." : "It means something else.",
          places: at ? [{ file: at[1], line: Number(at[2]) }] : [],
        });
      },
    ],
  },
];

/** A decision renames what one agent uses out of sight, another takes back, and a third looks at all the time. */
export const naming: Script = defineScript({
  name: "naming",
  routes: {
    ...threeAgents.routes,
    "O-A-1": orchestrator,
    "agent-1": store,
    "agent-2": api,
    "agent-3": view,
    integrator: [{ name: "brings together", steps: [done("All is together.")] }],
    compliance: judge,
  },
});

/** agent-1 puts a name of its own into the contract, and uses it in a file of its own as well. */
const guesser: readonly Scene[] = [
  {
    name: "follows",
    prompt: "## Contradiction of a decision",
    optional: true,
    steps: [
      read("src/store.js"),
      edit("src/store.js", "row.userKey", "row.user_id"),
      done("The store follows the decision."),
    ],
  },
  {
    name: "corrects the contract",
    prompt: "## Conflict with a decision",
    optional: true,
    steps: [
      read(ids),
      write(ids, 'export const idField = "user_id";\n'),
      done("The contract says what was decided."),
    ],
  },
  {
    name: "works",
    steps: [
      read(ids),
      edit(ids, '"userId"', '"userKey"'),
      write("src/store.js", "export const keep = (row) => table.set(row.userKey, row);\n"),
      done("The store keeps users by their key."),
    ],
  },
];

const follower: readonly Scene[] = [
  {
    name: "goes on",
    prompt: "Call it user_id.",
    steps: [
      write("src/api.js", 'export const path = "/users/:user_id";\n'),
      done("The API speaks of user_id."),
    ],
  },
  ...api.filter(({ name }) => name === "asks"),
];

const optional = (scenes: readonly Scene[]): readonly Scene[] =>
  scenes.map((scene) => ({ ...scene, optional: true }));

/** The same decision meets an agent whose own name for the id no version of the contract knows. */
export const guessing: Script = defineScript({
  name: "guessing",
  routes: {
    ...naming.routes,
    "agent-1": guesser,
    "agent-2": follower,
    "agent-3": [
      {
        name: "works",
        steps: [write("src/view.js", "export const shown = true;\n"), done("The view shows users.")],
      },
    ],
    compliance: optional(judge),
  },
});

/** Two tasks that meet in one file, and one of them waits for an answer in the middle of its work. */
export const twoInConflict: Script = defineScript({
  name: "two in conflict",
  routes: {
    ...naming.routes,
    "O-A-1": orchestrator.map((scene): Scene => {
      switch (scene.name) {
        case "plan":
          return {
            ...scene,
            steps: [call("propose_plan", planOf("store", "api"))],
          };
        case "decision":
          return { ...scene, steps: [call("answer_agent", { agent: "agent-1", answer: "Call it uid." })] };
        default:
          return scene;
      }
    }),
    "agent-1": [
      {
        name: "brings together",
        prompt: /agent-2: [^\n]* \(src\/same\.txt\)/u,
        steps: [
          read("src/same.txt"),
          write("src/same.txt", "the api\nthe store\n"),
          done("Both stand in one file."),
        ],
      },
      {
        name: "resolves",
        prompt: "## Conflicts",
        steps: [
          read(ids),
          write(ids, 'export const idField = "uid";\n'),
          write("src/same.txt", "the store\n"),
          done("The store says uid."),
        ],
      },
      {
        name: "works",
        steps: [
          read(ids),
          edit(ids, '"userId"', '"key"'),
          call("align_request", { question: "Is key fine?", options: [], blocking: true }),
        ],
      },
    ],
    "agent-2": [{ name: "works", steps: [write("src/same.txt", "the api\n"), done("The API is there.")] }],
    compliance: optional(judge),
  },
});
