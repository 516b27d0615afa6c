import { isSlowCheckDue, noChecksYet, withResults } from "#shared/domain/check-schedule.ts";
import type { CheckResult } from "#shared/domain/conversation.ts";
import type { CheckRunner, CheckRunOptions } from "../agent/agent-interface.ts";
import { putBack } from "../tools/put-back.ts";
import { ToolFailure } from "../tools/tool-failure.ts";
import type { CommandResult, Sandbox } from "../tools/tool-interface.ts";
import { type Checks, foundChecks } from "./defaults.ts";

export interface CheckRunnerOptions {
  readonly sandbox: Sandbox;
  /** From `[backpressure]`; null: found from the repository at the first run. */
  readonly fastChecks: Checks["fast"] | null;
  readonly slowChecks: Checks["slow"] | null;
  readonly timeoutSeconds: number;
  /** Checks run code that agents wrote: `protected_files` holds for them too. Default: the sandbox's own list. */
  readonly protectedFiles?: readonly string[];
  /** Defaults are read here too: a folder that the agent cannot write, or it could take its own checks away. */
  readonly defaultsFrom?: string;
  /** What ran in earlier iterations, after a restart. */
  readonly history?: readonly { readonly iteration: number; readonly results: readonly CheckResult[] }[];
}

/**
 * The checks of one agent. Fast ones run in every iteration, slow ones as `check-schedule.ts` says. Every check that ran
 * counts, and one that could not run failed. (PLAN-6)
 */
export function createCheckRunner(options: CheckRunnerOptions): CheckRunner {
  let history = (options.history ?? []).reduce(
    (known, { iteration, results }) => withResults(known, iteration, results),
    noChecksYet,
  );
  let found: Checks | undefined;

  const checksOf = async (workspace: string): Promise<Checks> => {
    const { fastChecks, slowChecks } = options;
    if (fastChecks && slowChecks) return { fast: fastChecks, slow: slowChecks };
    found ??= await foundChecks([...(options.defaultsFrom ? [options.defaultsFrom] : []), workspace]);
    return { fast: fastChecks ?? found.fast, slow: slowChecks ?? found.slow };
  };

  return {
    async run(run) {
      const checks = await checksOf(run.workspace);
      const results: CheckResult[] = [];
      const check = async (command: string, speed: CheckResult["speed"]): Promise<void> => {
        const result = await runCheck(options, run, command, speed);
        results.push(result);
        history = withResults(history, run.iteration, [result]);
      };
      for (const command of checks.fast) await check(command, "fast");
      for (const slow of checks.slow)
        if (run.all || isSlowCheckDue(slow, run.iteration, history)) await check(slow.command, "slow");
      return results;
    },
  };
}

async function runCheck(
  options: CheckRunnerOptions,
  run: CheckRunOptions,
  command: string,
  speed: CheckResult["speed"],
): Promise<CheckResult> {
  try {
    const result = await options.sandbox.run({
      command,
      workspace: run.workspace,
      environment: run.environment,
      timeoutMs: options.timeoutSeconds * 1000,
      signal: run.signal,
      ...(options.protectedFiles ? { protectedFiles: options.protectedFiles } : {}),
    });
    const outcome = outcomeOf(result);
    return {
      name: nameOf(command),
      command,
      speed,
      outcome,
      ms: result.ms,
      output: wordsOf(result, outcome),
    };
  } catch (error) {
    // Nothing that could not run may pass, and the reason stands where its output would.
    if (!(error instanceof ToolFailure)) throw error;
    return { name: nameOf(command), command, speed, outcome: "missing", ms: 0, output: error.message };
  }
}

function outcomeOf(result: CommandResult): CheckResult["outcome"] {
  if (result.outcome === "timed-out" || result.outcome === "missing") return result.outcome;
  return result.outcome === "exited" && result.exitCode === 0 ? "passed" : "failed";
}

/** What a check leaves in protected places is taken away, and that says nothing about the work it checked. */
function wordsOf(result: CommandResult, outcome: CheckResult["outcome"]): string {
  const { exitCode, restored } = result;
  // Some programs fail without a word, and an agent that reads nothing repairs nothing.
  const output =
    result.output === "" && outcome === "failed"
      ? `It printed nothing and ended with ${exitCode === null ? "no exit code" : `exit code ${exitCode}`}.`
      : result.output;
  return restored.length === 0 ? output : `${output.trimEnd()}\n${putBack(restored).join("\n")}`.trimStart();
}

/** `npm run --silent lint` reads as `lint` on a small badge; any other command as its first two words. */
function nameOf(command: string): string {
  const words = command.split(/\s+/).filter((word) => !word.startsWith("-"));
  const runs = words.indexOf("run");
  return words[0] === "npm" && runs === 1 && words[2] ? words[2] : words.slice(0, 2).join(" ");
}
