import type { CheckResult } from "#shared/domain/conversation.ts";
import type { CheckRunner, CheckRunOptions } from "../agent/agent-interface.ts";
import { ToolFailure } from "../tools/tool-failure.ts";
import type { CommandResult, Sandbox } from "../tools/tool-interface.ts";
import { type Checks, defaultChecks } from "./defaults.ts";

export interface CheckRunnerOptions {
  readonly sandbox: Sandbox;
  /** From `[backpressure]`; null: found from the repository at the first run. */
  readonly fastChecks: Checks["fast"] | null;
  readonly slowChecks: Checks["slow"] | null;
  readonly timeoutSeconds: number;
  /** Checks run code that agents wrote: `protected_files` holds for them too. Default: the sandbox's own list. */
  readonly protectedFiles?: readonly string[];
  /** Where defaults are read from: a folder that the agent cannot write, or it could choose its own checks. */
  readonly defaultsFrom?: string;
  /** What ran in earlier iterations, after a restart. */
  readonly history?: readonly { readonly iteration: number; readonly results: readonly CheckResult[] }[];
}

/** Fast failures in the last three iterations from which the slow checks come forward. (PLAN-6) */
const failuresToEscalate = 2;
const escalationWindow = 3;

/**
 * The checks of one agent. Fast ones run in every iteration, slow ones in every n-th, earlier when the fast ones keep
 * failing, and none is ever older than 2n iterations. Every check that ran counts, and one that could not run failed.
 */
export function createCheckRunner(options: CheckRunnerOptions): CheckRunner {
  const fastFailures = new Set<number>();
  const lastRun = new Map<string, number>();
  let found: Promise<Checks> | undefined;

  const note = (iteration: number, results: readonly CheckResult[]): void => {
    for (const result of results) {
      if (result.speed === "slow") lastRun.set(result.command, iteration);
      else if (result.outcome !== "passed") fastFailures.add(iteration);
    }
  };
  for (const { iteration, results } of options.history ?? []) note(iteration, results);

  const checksOf = async (workspace: string): Promise<Checks> => {
    const { fastChecks, slowChecks } = options;
    if (fastChecks && slowChecks) return { fast: fastChecks, slow: slowChecks };
    found ??= defaultChecks(options.defaultsFrom ?? workspace);
    const defaults = await found;
    return { fast: fastChecks ?? defaults.fast, slow: slowChecks ?? defaults.slow };
  };
  const escalated = (iteration: number): boolean =>
    [...fastFailures].filter((one) => one <= iteration && one > iteration - escalationWindow).length >=
    failuresToEscalate;
  const isDue = (check: Checks["slow"][number], iteration: number): boolean =>
    iteration % check.everyNIterations === 0 ||
    escalated(iteration) ||
    iteration - (lastRun.get(check.command) ?? 0) >= 2 * check.everyNIterations;

  return {
    async run(run) {
      const checks = await checksOf(run.workspace);
      const results: CheckResult[] = [];
      for (const command of checks.fast) {
        const result = await runCheck(options, run, command, "fast");
        results.push(result);
        note(run.iteration, [result]);
      }
      for (const check of checks.slow) {
        if (!run.all && !isDue(check, run.iteration)) continue;
        const result = await runCheck(options, run, check.command, "slow");
        results.push(result);
        note(run.iteration, [result]);
      }
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
    return {
      name: nameOf(command),
      command,
      speed,
      outcome: outcomeOf(result),
      ms: result.ms,
      output: result.output,
    };
  } catch (error) {
    // Nothing that could not run may pass, and the reason stands where its output would.
    if (!(error instanceof ToolFailure)) throw error;
    return { name: nameOf(command), command, speed, outcome: "missing", ms: 0, output: error.message };
  }
}

function outcomeOf(result: CommandResult): CheckResult["outcome"] {
  if (result.outcome === "timed-out" || result.outcome === "missing") return result.outcome;
  return result.outcome === "exited" && result.exitCode === 0 && result.restored.length === 0
    ? "passed"
    : "failed";
}

/** `npm run --silent lint` reads as `lint` on a small badge; any other command as its first two words. */
function nameOf(command: string): string {
  const words = command.split(/\s+/).filter((word) => !word.startsWith("-"));
  const runs = words.indexOf("run");
  return words[0] === "npm" && runs === 1 && words[2] ? words[2] : words.slice(0, 2).join(" ");
}
