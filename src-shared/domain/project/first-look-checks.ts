/** Which checks of a preflight can run, and what is wrong with the others. */
import type { FirstLook, LookedCheck, NamedChecks } from "./first-look.ts";

export type FirstLookTrouble = "empty" | "unproven" | "red" | "slow";

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
const isNamed = (look: FirstLook, check: LookedCheck): boolean => look.isConfigured[check.speed];

/** The checks that would run. */
export const chosenChecks = (look: FirstLook, leftOut: readonly string[] = []): readonly LookedCheck[] =>
  look.checks.filter((one) => (isRunning(one) || isNamed(look, one)) && !leftOut.includes(one.command));

/**
 * What a user is asked about before a run: that nothing would be checked, that a check cannot run and so proves nothing,
 * that something is red already, or that it takes too long. An empty list in the configuration is a decision and nothing to ask about.
 */
export function firstLookTroubles(
  look: FirstLook,
  leftOut: readonly string[] = [],
): readonly FirstLookTrouble[] {
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
export function proposedChecks(look: FirstLook, leftOut: readonly string[] = []): NamedChecks {
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
