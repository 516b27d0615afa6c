/** Which checks of a preflight can run, and what is wrong with the others. */

import type { CheckResult } from "../conversation/conversation.ts";
import { versionDifferences } from "./installed-versions.ts";
import {
  fewNames,
  isBlocking,
  type LookedCheck,
  type NamedChecks,
  outcomeText,
  type Preflight,
  type PreflightState,
} from "./preflight.ts";

export type PreflightTrouble = "empty" | "unproven" | "red" | "slow";

/**
 * A fast check runs after every iteration: twenty iterations of a task with one of half a minute are ten minutes in
 * which nothing is written.
 */
const slowestFastMs = 30_000;
/**
 * A check has the whole machine on the base. Agents work side by side, so it must be done in half of its time, or it
 * runs out of it as soon as two of them check at once.
 */
const slowestShare = 0.5;

const isRunning = (look: LookedCheck): boolean => look.outcome !== "missing";

/** Whether a check took longer than is good for a run. */
export const isSlow = (check: LookedCheck, timeoutSeconds: number): boolean =>
  check.outcome === "timed-out" ||
  check.ms > timeoutSeconds * 1000 * slowestShare ||
  (check.speed === "fast" && check.ms > slowestFastMs);

/** Whether `[backpressure]` names it: then a program that is missing is a mistake, and not a habit of the project. */
const isNamed = (look: Preflight, check: LookedCheck): boolean => look.isConfigured[check.speed];

/** The checks that would run. */
export const chosenChecks = (look: Preflight, leftOut: readonly string[] = []): readonly LookedCheck[] =>
  look.checks.filter((one) => (isRunning(one) || isNamed(look, one)) && !leftOut.includes(one.command));

/**
 * What a user is asked about before a run: that nothing would be checked, that a check cannot run and so proves nothing,
 * that something is red already, or that it takes too long. An empty list in the configuration is a decision and nothing to ask about.
 */
export function preflightTroubles(
  look: Preflight,
  leftOut: readonly string[] = [],
): readonly PreflightTrouble[] {
  const chosen = chosenChecks(look, leftOut);
  const isSwitchedOff = look.isConfigured.fast && look.isConfigured.slow;
  return [
    ...(chosen.length === 0 && !isSwitchedOff ? (["empty"] as const) : []),
    ...(chosen.some(({ outcome }) => outcome === "could-not-run") ? (["unproven"] as const) : []),
    ...(chosen.some(({ outcome }) => outcome === "failed" || outcome === "missing")
      ? (["red"] as const)
      : []),
    ...(chosen.some((one) => isSlow(one, look.timeoutSeconds)) ? (["slow"] as const) : []),
  ];
}

/** The checks for `.hox/config.toml`: those that can run; a fast one that is slow runs less often. */
export function proposedChecks(look: Preflight, leftOut: readonly string[] = []): NamedChecks {
  const chosen = chosenChecks(look, leftOut).filter(isRunning);
  const isFast = (one: LookedCheck): boolean => one.speed === "fast" && one.ms <= slowestFastMs;
  return {
    fast: chosen.filter(isFast).map(({ command }) => command),
    slow: chosen
      .filter((one) => !isFast(one))
      .map(({ command, speed, everyNIterations }) => ({
        command,
        everyNIterations: speed === "fast" ? 3 : everyNIterations,
      })),
  };
}

/** The lines of `[backpressure]` that name some checks; JSON's strings are TOML's. */
export const checksAsToml = ({ fast, slow }: NamedChecks): readonly string[] => [
  `fast_checks = [${fast.map((command) => JSON.stringify(command)).join(", ")}]`,
  `slow_checks = [${slow
    .map(
      ({ command, everyNIterations }) =>
        `{ command = ${JSON.stringify(command)}, every_n_iterations = ${everyNIterations} }`,
    )
    .join(", ")}]`,
];

/** Seconds as a table shows them. */
const seconds = (ms: number): string =>
  ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;

/** The result of one check, as one line without its name. */
export function formatLookedCheck(check: LookedCheck, isLeftOut = false): string {
  const count = check.failures?.length ?? 0;
  return [
    isLeftOut ? "left out" : outcomeText[check.outcome],
    ...(check.outcome === "missing" ? [] : [seconds(check.ms)]),
    ...(check.why === undefined ? [] : [check.why]),
    ...(count > 0 ? [`${count} failed: ${fewNames(check.failures ?? [], 3)}`] : []),
    ...(check.remedy === null ? [] : [check.remedy]),
  ].join(", ");
}

const listed = (facts: readonly { readonly name: string }[]): string =>
  facts.map(({ name }) => name).join(", ");

/** What a project is, in a few lines. */
function factLines({
  languages,
  packageManagers,
  workspaces,
  toolchains,
}: Preflight["facts"]): readonly string[] {
  return [
    ...(languages.length > 0
      ? [`${listed(languages)}${packageManagers.length > 0 ? ` with ${listed(packageManagers)}` : ""}`]
      : []),
    ...(workspaces.length > 0
      ? [
          `${workspaces.length} ${workspaces.length === 1 ? "package" : "packages"}: ${fewNames(workspaces.map(({ name }) => name))}`,
        ]
      : []),
    ...(toolchains.length > 0
      ? [`asks for ${toolchains.map(({ tool, version, file }) => `${tool} ${version} (${file})`).join(", ")}`]
      : []),
  ];
}

/** Tools of another version than the project asks for, one sentence each. */
export const versionLines = ({ facts, installed }: Preflight): readonly string[] =>
  versionDifferences(facts.toolchains, installed);

/** What a project is and which of its tools are others than it asks for, in a few lines. */
export const projectLines = (look: Preflight): readonly string[] => [
  ...factLines(look.facts),
  ...versionLines(look),
];

/** A preflight as a table: the kind of project, one line for each check, and warnings. */
export function lookLines({ look, leftOut, isKept }: PreflightState): readonly string[] {
  if (look === null) return [];
  const width = Math.min(24, Math.max(0, ...look.checks.map(({ name }) => name.length)));
  return [
    ...projectLines(look),
    ...look.checks.map(
      (one) =>
        `${one.name.padEnd(width)}  ${one.command === one.name ? "" : `${one.command}: `}${formatLookedCheck(one, leftOut.includes(one.command))}`,
    ),
    ...look.setUpFailures.map((text) => `setup failed: ${text}`),
    ...(chosenChecks(look, leftOut).length === 0 ? ["No checks run. The agents’ work lands unchecked."] : []),
    ...(isKept ? [`reused from the preflight of ${look.commitId.slice(0, 12)}`] : []),
  ];
}

/** A check that does not run in every iteration. */
export interface SlowCheck {
  readonly command: string;
  /** 1 or more: it runs in iterations n, 2n, 3n… at the latest. */
  readonly everyNIterations: number;
}

/** What of an agent's earlier checks decides about the next ones. Iterations count from 1. */
export interface CheckHistory {
  /** Iterations in which a fast check failed, ascending, each once; older ones that no longer count are dropped. */
  readonly fastFailures: readonly number[];
  /** Command of a slow check → the last iteration in which it ran. */
  readonly lastRun: Readonly<Record<string, number>>;
}

export const noChecksYet: CheckHistory = { fastFailures: [], lastRun: {} };

/** Iterations with a fast failure, among the last three, that bring the slow checks forward. (PLAN-6) */
const failuresToEscalate = 2;
const escalationWindow = 3;

/**
 * The history with the results of one iteration in it; in any order, and the same results twice change nothing. Every
 * check that ran counts, and what could not run or took too long has failed. (PLAN-6, mistake 6)
 */
export function withResults(
  history: CheckHistory,
  iteration: number,
  results: readonly Pick<CheckResult, "command" | "speed" | "outcome">[],
): CheckHistory {
  const lastRun = { ...history.lastRun };
  for (const { command, speed } of results)
    if (speed === "slow") lastRun[command] = Math.max(iteration, lastRun[command] ?? 0);
  const failed = results.some(({ speed, outcome }) => speed === "fast" && isBlocking({ outcome }));
  const failures = failed ? [...new Set([...history.fastFailures, iteration])] : history.fastFailures;
  const newest = Math.max(iteration, ...history.fastFailures);
  return {
    fastFailures: failures.filter((one) => one > newest - escalationWindow).toSorted((a, b) => a - b),
    lastRun,
  };
}

/** True when the fast checks failed in two of the last three iterations, this one included. (PLAN-6) */
export const isEscalated = (history: CheckHistory, iteration: number): boolean =>
  history.fastFailures.filter((one) => one <= iteration && one > iteration - escalationWindow).length >=
  failuresToEscalate;

/**
 * Whether a slow check runs in an iteration whose fast results are in the history already: in every n-th, when the fast
 * ones keep failing, and when it would become older than 2n iterations (those in which nothing was checked count,
 * too: a question ends an iteration without checks). (PLAN-6)
 */
export const isSlowCheckDue = (check: SlowCheck, iteration: number, history: CheckHistory): boolean =>
  iteration % check.everyNIterations === 0 ||
  isEscalated(history, iteration) ||
  iteration - (history.lastRun[check.command] ?? 0) >= 2 * check.everyNIterations;
