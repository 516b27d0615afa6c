/** A run whose conversations branch, and that is watched: an agent has its clone write, one task is tried twice, and a
 * reviewer comments. */
import type { Plan } from "#shared/domain/plan/plan.ts";
import { defineScript, type Scene, type Script } from "../../model/stand-in/script.ts";
import { calmAgents, done, joinsIndex, rewrite, write } from "./three-agents-script.ts";

const task = "Write src/store.txt after the contract, and say what it holds.";

const store: readonly Scene[] = [
  joinsIndex,
  {
    name: "a clone writes",
    prompt: task,
    steps: [
      { calls: [{ tool: "read_file", input: { path: "src/contract.txt" } }] },
      write("src/store.txt", "keeps users\n"),
      { say: "It holds that users are kept." },
    ],
  },
  {
    name: "works",
    steps: [
      { calls: [{ tool: "fork_subagent", input: { agent: "", task } }] },
      ...rewrite("src/index.txt", "the store\n"),
      done("The store keeps users."),
    ],
  },
];

/** As a user wants it who is not sure how the view should be. */
export const twiceTheView = (plan: Plan): Plan => ({
  ...plan,
  tasks: plan.tasks.map((one) => (one.id === "view" ? { ...one, attempts: 2 } : one)),
});

/** Says something of the store once, and nothing else. */
const reviewer: readonly Scene[] = [
  {
    name: "reviews",
    prompt: "[REVIEW]",
    steps: [
      (seen) => {
        const hasSpoken = seen.history.some(({ tool }) => tool === "comment");
        const worker = /^## Work of (\S+)/mu.exec(seen.prompt)?.[1];
        return hasSpoken || worker === undefined
          ? { calls: [{ tool: "nothing_to_say", input: {} }] }
          : { calls: [{ tool: "comment", input: { worker, text: "Kept where?", relation: "risk" } }] };
      },
      { calls: [{ tool: "nothing_to_say", input: {} }] },
    ],
    optional: true,
  },
];

export const branchingAgents: Script = defineScript({
  ...calmAgents,
  name: "branching",
  routes: {
    ...calmAgents.routes,
    "agent-1": store,
    "archangel-watch": reviewer,
    "agent-4": calmAgents.routes["agent-3"] ?? [],
  },
});
