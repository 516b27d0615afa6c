import { defineScript, type Script } from "../../model/stand-in/script.ts";
import { done, write } from "./three-agents-script.ts";

/** Quick runs, one for each goal: its agent writes the goal into `src/<its last word>.txt`, and is done. */
export const quickScript = (...goals: readonly string[]): Script =>
  defineScript({
    name: "quick",
    routes: {
      "agent-*": goals.map((goal) => ({
        name: goal,
        prompt: goal,
        steps: [write(`src/${goal.split(" ").at(-1)}.txt`, `${goal}\n`), done("It is written.")],
      })),
    },
  });
