import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { isSlowCheckDue, noChecksYet, withResults } from "#shared/domain/project/check-schedule.ts";
import {
  againstBase,
  type BaseOutcome,
  type Compared,
  fewNames,
} from "#shared/domain/project/known-failures.ts";
import type { CheckRunOptions } from "../agent/agent-interface.ts";
import type { Sandbox } from "../tools/tool-interface.ts";
import { type Checks, type ChosenCommands, foundChecks } from "./found-checks.ts";
import { checkName, runCheck } from "./run-check.ts";

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
  /** What the first look at the base found. Without it every failure counts. */
  readonly base?: CheckedBase;
  /** What ran in earlier iterations, after a restart. */
  readonly history?: readonly { readonly iteration: number; readonly results: readonly CheckResult[] }[];
}

/** How the checks came out on the commit that a run builds on, and what was decided about them. */
export interface CheckedBase {
  readonly chosen: ChosenCommands;
  /** By command. */
  readonly outcomes: Readonly<Record<string, BaseOutcome>>;
  /** Commands that a person left out. */
  readonly leftOut: readonly string[];
}

export interface FolderChecks {
  run(options: CheckRunOptions & { readonly workspace: string }): Promise<readonly CheckResult[]>;
}

const nothingChecked: CheckedBase = { chosen: {}, outcomes: {}, leftOut: [] };

/**
 * The checks of one agent. Fast ones run in every iteration, slow ones as `check-schedule.ts` says. Every check that ran
 * counts, and one that could not run failed, unless it was so before the work began. (PLAN-6)
 */
export function createCheckRunner(options: CheckRunnerOptions): FolderChecks {
  const { base = nothingChecked } = options;
  let history = (options.history ?? []).reduce(
    (known, { iteration, results }) => withResults(known, iteration, results),
    noChecksYet,
  );
  /** In this worker's hands: what was red without names and has passed counts from then on. */
  const passed = new Set(
    (options.history ?? []).flatMap(({ results }) =>
      results.flatMap(({ command, outcome }) => (outcome === "passed" ? [command] : [])),
    ),
  );
  let found: Checks | undefined;

  const checksOf = async (workspace: string): Promise<Checks> => {
    const { fastChecks, slowChecks } = options;
    const isMeant = (command: string): boolean => !base.leftOut.includes(command);
    if (!fastChecks || !slowChecks)
      found ??= await foundChecks(
        [...(options.defaultsFrom ? [options.defaultsFrom] : []), workspace],
        base.chosen,
      );
    return {
      fast: (fastChecks ?? found?.fast ?? []).filter(isMeant),
      slow: (slowChecks ?? found?.slow ?? []).filter(({ command }) => isMeant(command)),
    };
  };

  return {
    async run({ workspace, environment, signal, iteration, all = false }) {
      const checks = await checksOf(workspace);
      const results: CheckResult[] = [];
      const check = async (command: string, speed: CheckResult["speed"]): Promise<void> => {
        const { sandbox, timeoutSeconds, protectedFiles } = options;
        const ran = await runCheck({
          run: (placed) => sandbox.run({ ...placed, workspace }),
          location: workspace,
          ...{ command, environment, timeoutSeconds, protectedFiles, signal },
        });
        const isConfigured = (speed === "fast" ? options.fastChecks : options.slowChecks) !== null;
        const onBase = base.outcomes[command];
        const known = onBase?.failures === null && passed.has(command) ? undefined : onBase;
        const compared =
          // Found in what the agent wrote, and nothing here can run it: that mends no iteration.
          ran.outcome === "missing" && !isConfigured && options.base !== undefined && onBase === undefined
            ? { outcome: "known-failure" as const, fresh: null, known: 0 }
            : againstBase(ran, known);
        const result: CheckResult = {
          name: checkName(command),
          command,
          speed,
          outcome: compared.outcome,
          ms: ran.ms,
          output: withComparison(ran.output, compared, known),
        };
        results.push(result);
        if (ran.outcome === "passed") passed.add(command);
        history = withResults(history, iteration, [result]);
      };
      for (const command of checks.fast) await check(command, "fast");
      for (const slow of checks.slow)
        if (all || isSlowCheckDue(slow, iteration, history)) await check(slow.command, "slow");
      return results;
    },
  };
}

/** What of it is old stands before what it printed: whoever repairs begins with what is new. */
function withComparison(output: string, compared: Compared, base: BaseOutcome | undefined): string {
  const words = comparisonWords(compared, base);
  return words === "" ? output : `${words}\n\n${output}`.trimEnd();
}

function comparisonWords({ outcome, fresh, known }: Compared, base: BaseOutcome | undefined): string {
  if (outcome === "known-failure") {
    if (base === undefined) return "Its program is not on this machine, so it does not count.";
    if (base.outcome === "missing")
      return "It could not run before the run began either, so it does not count.";
    if (base.outcome === "timed-out")
      return "It took too long before the run began as well, so it does not count.";
    return base.failures === null
      ? "It failed before the run began as well. What exactly fails cannot be read from its report, so it does not count."
      : `It failed before the run began as well, and nothing more fails now: ${fewNames(base.failures)}.`;
  }
  if (outcome !== "failed" || base === undefined || base.outcome === "passed") return "";
  if (fresh === null)
    return base.failures === null
      ? ""
      : `Before the run began it named what failed (${fewNames(base.failures)}); now its report cannot be read.`;
  const before =
    known === 0 ? "" : ` Another ${known} failed before the run began as well and need no repair.`;
  return `New, and yours to repair: ${fewNames(fresh, 20)}.${before}`;
}
