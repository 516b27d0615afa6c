/**
 * The preflight of a project, before its plan is approved: its kind, and the results of its checks on the
 * base.
 */

import type { CheckResult } from "../conversation/conversation.ts";
import type { InstalledTool } from "./installed-versions.ts";
import type { ProjectFacts } from "./project-facts.ts";

/** A check that was tried on the base. */
export interface LookedCheck extends BaseOutcome {
  /** Unique in the look. */
  readonly name: string;
  readonly command: string;
  readonly speed: "fast" | "slow";
  /** Of a slow one. */
  readonly everyNIterations: number;
  /** What says that it is a check here. */
  readonly reason: string;
  readonly ms: number;
  /** The end of what it printed. */
  readonly output: string;
  /**
   * What the user does if it is missing or failed for lack of something; null: nothing is known to be
   * missing.
   */
  readonly remedy: string | null;
}

/** A check's result before the comparison with the base. */
type CheckOutcome = Exclude<CheckResult["outcome"], "known-failure" | "unproven">;

/** The result of a check on the base commit. */
export interface BaseOutcome {
  readonly outcome: CheckOutcome;
  /** What failed, one name as often as it failed; null where its report could not be read. */
  readonly failures: readonly string[] | null;
  /** Of one that could not run: why, in a few words. Absent elsewhere. */
  readonly why?: string;
}

export interface Compared {
  readonly outcome: CheckResult["outcome"];
  /** New failures compared with the base; null if unknown. */
  readonly fresh: readonly string[] | null;
  /** How many of the failures are those of the base. */
  readonly known: number;
}

/** Nothing ran, or not all of it: what is named is not all that fails. */
const couldRun = (outcome: CheckOutcome): boolean => outcome === "passed" || outcome === "failed";

/** Whether what failed is known by name: then it stays known, also where it passes now and then. */
export const namesAllThatFailed = (base: BaseOutcome | undefined): boolean =>
  base !== undefined && couldRun(base.outcome) && base.failures !== null;

/**
 * A result compared with the one of the base. `known-failure` if both name their failures and none is new;
 * `unproven` if nothing is visibly worse, but one of them names no failures or did not run.
 *
 * @param now the present result
 * @param base of the same command; undefined if it did not run there
 */
export function againstBase(now: BaseOutcome, base: BaseOutcome | undefined): Compared {
  const asItIs: Compared = { outcome: now.outcome, fresh: null, known: 0 };
  if (now.outcome === "passed" || base === undefined || base.outcome === "passed") return asItIs;
  const unproven: Compared = { outcome: "unproven", fresh: null, known: 0 };
  const isAsBefore = now.outcome === base.outcome;
  // A missing program or a time-out is not the agent's fault.
  if (!isAsBefore && !(now.outcome === "failed" && base.outcome === "could-not-run")) return asItIs;
  if (base.failures === null) return isAsBefore ? unproven : asItIs;
  if (now.failures === null) return asItIs;
  const left = new Map<string, number>();
  for (const name of base.failures) left.set(name, (left.get(name) ?? 0) + 1);
  const fresh = now.failures.filter((name) => {
    const count = left.get(name) ?? 0;
    left.set(name, count - 1);
    return count < 1;
  });
  const isWhole = couldRun(now.outcome) && couldRun(base.outcome);
  return {
    outcome: fresh.length > 0 ? now.outcome : isWhole ? "known-failure" : "unproven",
    fresh,
    known: now.failures.length - fresh.length,
  };
}

/** Whether a result keeps work from counting as done. */
export const isBlocking = ({ outcome }: Pick<CheckResult, "outcome">): boolean =>
  outcome !== "passed" && outcome !== "known-failure" && outcome !== "unproven";

/** A check's result, for the user. */
export const outcomeText: Readonly<Record<CheckResult["outcome"], string>> = {
  passed: "passed",
  failed: "failed",
  "timed-out": "timed out",
  missing: "missing",
  "could-not-run": "could not run",
  "known-failure": "failed before as well",
  unproven: "proves nothing",
};

/** Names that one line shows; the rest is counted. */
export function fewNames(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

export interface Preflight {
  readonly commitId: string;
  /** ms since 1970. */
  readonly at: number;
  readonly facts: Omit<ProjectFacts, "checks">;
  /** Tools that the project asks for, as they are there. */
  readonly installed: readonly InstalledTool[];
  /** Whether `[backpressure]` names them, for each speed. */
  readonly isConfigured: { readonly fast: boolean; readonly slow: boolean };
  readonly checks: readonly LookedCheck[];
  readonly setUpMs: number;
  /** Commands of `[workspace] setup` that failed, and why. */
  readonly setUpFailures: readonly string[];
  /** Time that each check has, in seconds. */
  readonly timeoutSeconds: number;
}

/** Checks as `[backpressure]` names them. */
export interface NamedChecks {
  readonly fast: readonly string[];
  readonly slow: readonly { readonly command: string; readonly everyNIterations: number }[];
}

/** The user's decision. */
export type PreflightDecision =
  | { readonly kind: "go-on" }
  /** By command. */
  | { readonly kind: "leave-out"; readonly commands: readonly string[] }
  | { readonly kind: "use-checks"; readonly checks: NamedChecks }
  /** One command in place of another, for this run: a narrower one, or one without the part that fails. */
  | { readonly kind: "change-check"; readonly command: string; readonly instead: string }
  | { readonly kind: "look-again" };

/** `nobody`: there was nothing to decide. */
type PreflightDecider = "user" | "settings" | "nobody";

export type PreflightEvent =
  | { readonly kind: "Looked"; readonly look: Preflight; readonly isKept: boolean }
  | { readonly kind: "Decided"; readonly decision: PreflightDecision; readonly by: PreflightDecider }
  /**
   * Checks that failed on the base, without named failures, and passed in a fresh checkout since: for all
   * dependents, or for the merged result only.
   */
  | { readonly kind: "Passed"; readonly commands: readonly string[]; readonly reach: "everyone" | "result" }
  /** Nothing is looked at: `[backpressure] preflight = "off"`. */
  | { readonly kind: "Skipped" };

export interface PreflightState {
  readonly look: Preflight | null;
  /** It was done for the same commit before, and is reused. */
  readonly isKept: boolean;
  /** Commands that do not run. */
  readonly leftOut: readonly string[];
  /** Command of a check → what runs in its place. */
  readonly changed: Readonly<Record<string, string>>;
  /** The user's checks, which replace the found ones; configured ones come before them. */
  readonly given: NamedChecks | null;
  /** Commands that passed since, by reach: they count in full again. */
  readonly passed: { readonly everyone: readonly string[]; readonly result: readonly string[] };
  readonly isSettled: boolean;
  /** Who decided; null if no decision was needed. */
  readonly settledBy: "user" | "settings" | null;
  /** Increases with every preflight, so that each has a separate question. */
  readonly looks: number;
}

export const notLooked: PreflightState = {
  look: null,
  isKept: false,
  leftOut: [],
  changed: {},
  given: null,
  passed: { everyone: [], result: [] },
  isSettled: false,
  settledBy: null,
  looks: 0,
};

/**
 * Reduces one event of the preflight. Total: a repeated decision changes nothing.
 *
 * @returns the next state
 */
export function reducePreflight(state: PreflightState, event: PreflightEvent): PreflightState {
  switch (event.kind) {
    case "Skipped":
      return { ...state, isSettled: true };
    case "Looked":
      return { ...state, look: event.look, isKept: event.isKept, looks: state.looks + 1, isSettled: false };
    case "Passed": {
      const known = state.passed[event.reach];
      const all = [...new Set([...known, ...event.commands])];
      return { ...state, passed: { ...state.passed, [event.reach]: all } };
    }
    case "Decided":
      return decided(state, event.decision, event.by);
    default: {
      const never: never = event;
      return never;
    }
  }
}

function decided(state: PreflightState, decision: PreflightDecision, by: PreflightDecider): PreflightState {
  const settledBy = by === "nobody" ? null : by;
  switch (decision.kind) {
    case "go-on":
      return { ...state, isSettled: true, settledBy };
    case "leave-out":
      return {
        ...state,
        leftOut: [...new Set([...state.leftOut, ...decision.commands])],
        isSettled: true,
        settledBy,
      };
    case "use-checks":
      // They are tried before they count.
      return { ...state, given: decision.checks, look: null, isSettled: false };
    case "change-check":
      return {
        ...state,
        changed: withChange(state.changed, decision.command, decision.instead),
        look: null,
        isSettled: false,
      };
    case "look-again":
      return { ...state, look: null, isSettled: false };
    default: {
      const never: never = decision;
      return never;
    }
  }
}

/** A command that was changed before is known by what it was first. */
function withChange(
  changed: Readonly<Record<string, string>>,
  command: string,
  instead: string,
): Readonly<Record<string, string>> {
  const firsts = Object.keys(changed).filter((first) => changed[first] === command);
  return {
    ...changed,
    ...Object.fromEntries((firsts.length > 0 ? firsts : [command]).map((one) => [one, instead])),
  };
}

/**
 * Passing checks that failed on the base without naming failures: from now on a regression can be detected.
 *
 * @param commands that passed
 */
export function newlyPassed(
  { look, passed }: PreflightState,
  commands: readonly string[],
  reach: "everyone" | "result",
): readonly string[] {
  const red = (look?.checks ?? []).filter(
    (check) => check.outcome !== "passed" && !namesAllThatFailed(check),
  );
  return red
    .map(({ command }) => command)
    .filter((command) => commands.includes(command) && !passed[reach].includes(command));
}
