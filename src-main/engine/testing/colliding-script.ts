import type { Scene, Script } from "../../model/stand-in/script.ts";
import { call, scriptOf } from "./merge-request-script.ts";
import { done, rewrite, write } from "./three-agents-script.ts";

/** What both agents of `collidingAgents` want in their file. */
export const bothLines = "of agent-1\nof agent-2\n";

/** Writes the same line as the other one in one long turn; once it has the other's work, it writes what both say. */
const collides = (name: string, command: string): readonly Scene[] => [
  {
    name: "brings together",
    prompt: (seen) => seen.prompt.includes("conflict markers") || seen.prompt.includes("in conflict"),
    steps: [...rewrite("src/one.txt", bothLines), done("Both are in it.")],
    optional: true,
  },
  {
    name: "works",
    steps: [
      write("src/one.txt", `of ${name}\n`),
      call("run_command", { command, timeout_seconds: 600 }),
      done(`Work of ${name}.`),
    ],
  },
];

/**
 * Two agents that write the same line of `src/one.txt`.
 *
 * @param command what each runs before it is done
 */
export const collidingAgents = (command: string, orchestrator: readonly Scene[] = []): Script =>
  scriptOf(
    {
      "agent-1": collides("agent-1", command),
      "agent-2": collides("agent-2", command),
      integrator: [
        { name: "joins", steps: [...rewrite("src/one.txt", bothLines), done("Joined.")], optional: true },
      ],
    },
    orchestrator,
  );

/** An orchestrator that lets the second one wait. */
export const letsSecondWait: Scene = {
  name: "lets agent-2 wait",
  prompt: /^\[EVENT conflict forecast\]/,
  steps: [call("let_wait", { waits: [{ agent: "agent-2", until_merged: "agent-1" }] })],
  optional: true,
};
