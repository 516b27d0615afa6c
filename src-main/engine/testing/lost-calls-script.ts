/** Two goals at once, each by an agent that repeats what was lost with a worker. */
import { defineScript, type Script, type ScriptedStep, type Seen } from "../../model/stand-in/script.ts";
import { sideBySide, sideBySideGoals } from "./side-by-side-script.ts";
import { done } from "./three-agents-script.ts";

const maxSteps = 60;

const isLoss = ({ output, isError }: Seen["history"][number]): boolean =>
  isError && /Your files are .* you work on/u.test(output);

/** What was called since the agent heard of a loss: all of it is repeated. */
function callsSinceLoss({ history, turn }: Seen): Seen["history"] {
  const now = turn === 0 ? [] : history.slice(-turn);
  return now.slice(now.findLastIndex(isLoss) + 1);
}

const one = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });

/** Writes a file, has a command make another one of it, reads what that is, and reports. A file is read first: it may be there. */
function repeatsLost(file: string): readonly ScriptedStep[] {
  const path = `src/${file}.txt`;
  const command = `cat ${path} ${path} > src/${file}-twice.txt`;
  const steps = [
    one("read_file", { path }),
    one("write_file", { path, content: `the ${file}\n` }),
    one("run_command", { command }),
    one("read_file", { path: `src/${file}-twice.txt` }),
  ];
  const next: ScriptedStep = (seen) => steps[callsSinceLoss(seen).length] ?? done(`The ${file} is written.`);
  return Array.from({ length: maxSteps }, () => next);
}

export const lostCalls: Script = defineScript({
  ...sideBySide,
  name: "lost calls",
  routes: {
    ...sideBySide.routes,
    "agent-*": ["store", "view"].map((file, at) => ({
      name: `writes the ${file}`,
      prompt: sideBySideGoals[at] ?? "",
      steps: repeatsLost(file),
    })),
  },
});
