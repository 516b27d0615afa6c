import { defineScript, type Scene, type Seen } from "../../model/stand-in/script.ts";
import { call } from "./merge-request-script.ts";
import { acceptsMergeRequests, done, plan, vote, write } from "./three-agents-script.ts";

/** Short turns until the file `go` is there: a decision waits for the end of a turn. */
const waits = (file: string) => (seen: Seen) =>
  seen.results.some(({ output }) => output.includes("released"))
    ? done(`The ${file} is written.`)
    : call("run_command", { command: "sleep 0.3; if [ -e go ]; then rm go; echo released; fi" });

const plans = (file: string): Scene => ({
  name: `plans ${file}`,
  prompt: (seen) => seen.prompt.includes("[EVENT plan") && seen.prompt.includes(`Write ${file}`),
  steps: [
    call("propose_plan", {
      ...plan,
      contracts: { ...plan.contracts, files: [] },
      tasks: [{ ...plan.tasks[0], id: file, title: `Write ${file}`, files: [`src/${file}.txt`] }],
    }),
  ],
});

/** It also writes a file that nobody planned. */
const works = (file: string): readonly Scene[] => [
  {
    name: `writes ${file}`,
    prompt: `Write ${file}`,
    steps: [
      write(`src/${file}.txt`, `the ${file}\n`),
      write("src/shared.txt", `for the ${file}\n`),
      ...Array.from({ length: 300 }, () => waits(file)),
    ],
  },
];

/** What the root of the first run wants to decide. */
export const decision = { title: "Names are text", reason: "Both runs use them." };
const edit = { path: "NAMES.md", content: "Names are text.\n" };

/** Tells the other run, proposes a decision, and lets both continue. */
const actsOnForecast: Scene = {
  name: "acts on the forecast",
  prompt: (seen) =>
    seen.prompt.startsWith("[EVENT conflict forecast]") && !seen.prompt.includes("now applies to all"),
  steps: [
    call("inform", { to: "O-A-2", text: "The store writes src/shared.txt, too." }),
    call("propose_mutation", { ...decision, edits: [edit] }),
  ],
};

/**
 * Two runs, "Write store" and "Write view", whose agents both write `src/shared.txt`, which neither plan has. They work until
 * the file `go` is in their workspace.
 */
export const otherRunsScript = defineScript({
  name: "other runs",
  routes: {
    "O-A-1": [
      actsOnForecast,
      { name: "continues", prompt: /^\[EVENT conflict forecast\]/, steps: [done("Both continue.")] },
      plans("store"),
      { ...acceptsMergeRequests, optional: true },
      { name: "reads", prompt: /^\[EVENT message\]/, steps: [done("Read.")], optional: true },
    ],
    "O-A-2": [
      plans("view"),
      { name: "continues", prompt: /^\[EVENT conflict forecast\]/, steps: [done("Both continue.")] },
      { name: "reads", prompt: /^\[EVENT message\]/, steps: [done("I mind it.")] },
      { ...acceptsMergeRequests, optional: true },
    ],
    "agent-*": [...works("store"), ...works("view")],
    "integrator*": [{ name: "joins", steps: [done("All is together.")], optional: true }],
    "validator-*": vote("approve"),
  },
});
