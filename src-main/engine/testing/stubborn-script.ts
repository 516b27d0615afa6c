import { defineScript, type Script, type ScriptedStep, type Seen } from "../../model/stand-in/script.ts";
import { done } from "./three-agents-script.ts";

/** What a stubborn agent does, in order. */
export type StubbornCall =
  | { readonly write: string }
  /** A command for each try, in this iteration or before; the last one for all further ones. */
  | { readonly run: readonly string[] };

const maxSteps = 20;

/** A quick run's agent that repeats every call whose files were lost, as the message about it says. */
export function stubbornScript(goal: string, calls: readonly StubbornCall[]): Script {
  const next: ScriptedStep = (seen) => {
    const call = calls[indexAfter(seen)];
    if (call === undefined) return done("All is there.");
    if ("write" in call)
      return { calls: [{ tool: "write_file", input: { path: call.write, content: `${call.write}\n` } }] };
    const failed = seen.history.filter(({ tool, isError }) => tool === "run_command" && isError).length;
    const before = Number(/Iteration (\d+)\./u.exec(seen.prompt)?.[1] ?? 1) - 1;
    const command = call.run[Math.min(failed + before, call.run.length - 1)];
    return { calls: [{ tool: "run_command", input: { command } }] };
  };
  return defineScript({
    name: "stubborn",
    routes: {
      "agent-*": [{ name: "works", prompt: goal, steps: Array.from({ length: maxSteps }, () => next) }],
    },
  });
}

/** A call that failed because files were lost is not done: it is the next one. */
const indexAfter = ({ history }: Seen): number =>
  history.filter(({ tool, isError }) => ["write_file", "run_command"].includes(tool) && !isError).length;
