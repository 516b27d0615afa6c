/** What a check that failed before the work began says about the work: nothing, until more fails. */
import type { CheckResult } from "../conversation/conversation.ts";

/** A check's result before the comparison with the base. */
export type CheckOutcome = Exclude<CheckResult["outcome"], "known-failure" | "unproven">;

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
