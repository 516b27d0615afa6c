import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import {
  againstBase,
  type BaseOutcome,
  type Compared,
  fewNames,
  isBlocking,
  namesAllThatFailed,
} from "#shared/domain/project/preflight.ts";
import { isSlowCheckDue, noChecksYet, withResults } from "#shared/domain/project/preflight-checks.ts";
import type { CheckRunOptions } from "../agent/agent-interface.ts";
import type { Sandbox } from "../tools/tool-interface.ts";
import { type Checks, type ChosenCommands, foundChecks } from "./found-checks.ts";
import { type CheckRun, checkName, runCheck } from "./run-check.ts";

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
  /** What the preflight found on the base. Without it every failure counts. */
  readonly base?: CheckedBase;
  /** What commands print before the names of files. Default: the checked folder. */
  readonly location?: () => string;
  /** What ran in earlier iterations, after a restart. */
  readonly history?: readonly { readonly iteration: number; readonly results: readonly CheckResult[] }[];
}

/** The checks' results on a run's base commit, and the decision about them. */
export interface CheckedBase {
  readonly chosen: ChosenCommands;
  /** By command. */
  readonly outcomes: Readonly<Record<string, BaseOutcome>>;
  /** Commands that the user excluded. */
  readonly leftOut: readonly string[];
  /** Command → what a user has run in its place. */
  readonly changed?: Readonly<Record<string, string>>;
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
  /** In this worker's hands: what proved nothing before the run, and has passed, counts from then on. */
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
    const asChanged = (command: string): string => base.changed?.[command] ?? command;
    return {
      fast: (fastChecks ?? found?.fast ?? []).map(asChanged).filter(isMeant),
      slow: (slowChecks ?? found?.slow ?? [])
        .map((check) => ({ ...check, command: asChanged(check.command) }))
        .filter(({ command }) => isMeant(command)),
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
          location: options.location ?? (() => workspace),
          ...{ command, environment, timeoutSeconds, protectedFiles, signal },
        });
        const isConfigured = (speed === "fast" ? options.fastChecks : options.slowChecks) !== null;
        const onBase = base.outcomes[command];
        const known = passed.has(command) && !namesAllThatFailed(onBase) ? undefined : onBase;
        const compared =
          // A found check that cannot run here: no iteration could fix that.
          ran.outcome === "missing" && !isConfigured && options.base !== undefined && onBase === undefined
            ? { outcome: "unproven" as const, fresh: null, known: 0 }
            : againstBase(ran, known);
        const result: CheckResult = {
          name: checkName(command),
          command,
          speed,
          outcome: compared.outcome,
          ms: ran.ms,
          ...whyOf(ran, compared, known),
          output: withComparison(ran, compared, known),
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

function whyOf(
  { why }: CheckRun,
  { outcome }: Compared,
  base: BaseOutcome | undefined,
): Pick<CheckResult, "why"> {
  if (outcome === "could-not-run" && why !== undefined) return { why };
  return outcome === "unproven" ? { why: why ?? formatUnproven(base) } : {};
}

/** Baseline failures are listed before the output, so that the agent starts with the new ones. */
function withComparison(ran: CheckRun, compared: Compared, base: BaseOutcome | undefined): string {
  const words = [
    ...(ran.why === undefined ? [] : [`It could not run: ${ran.why}.`]),
    formatComparison(compared, base),
  ].filter((one) => one !== "");
  return words.length === 0 ? ran.output : `${words.join(" ")}\n\n${ran.output}`.trimEnd();
}

function formatComparison({ outcome, fresh, known }: Compared, base: BaseOutcome | undefined): string {
  if (outcome === "known-failure")
    return `It failed before the run began as well, and nothing more fails now: ${fewNames(base?.failures ?? [])}.`;
  if (outcome === "unproven")
    return `${formatUnproven(base)} The user decides whether the work lands without it.`;
  if (!isBlocking({ outcome }) || base === undefined || base.outcome === "passed") return "";
  if (fresh === null)
    return base.failures !== null
      ? `Before the run began it named what failed (${fewNames(base.failures)}); now its report names nothing.`
      : base.outcome === "failed"
        ? ""
        : "Before the run it could not run, so it is unknown which of these failures are new. Repair all of them.";
  const before =
    known === 0 ? "" : ` Another ${known} failed before the run began as well and need no repair.`;
  return `New, and yours to repair: ${fewNames(fresh, 20)}.${before}`;
}

function formatUnproven(base: BaseOutcome | undefined): string {
  switch (base?.outcome) {
    case undefined:
      return "Its program is not on this machine.";
    case "missing":
      return "Its program was not on this machine before the run began either.";
    case "timed-out":
      return "It took too long before the run began as well.";
    case "could-not-run":
      return "It could not run before the run began either, so it cannot show whether the work broke anything.";
    default:
      return "It failed before the run began as well, and its report does not name what fails, so it cannot show whether the work broke anything.";
  }
}
