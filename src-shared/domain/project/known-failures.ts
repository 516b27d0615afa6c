/** What a check that failed before the work began says about the work: nothing, until more fails. */
import type { CheckResult } from "../conversation/conversation.ts";

/** How a check came out, before it is held against the base. */
export type CheckOutcome = Exclude<CheckResult["outcome"], "known-failure">;

/** How a check came out on the commit that the work stands on. */
export interface BaseOutcome {
  readonly outcome: CheckOutcome;
  /** What failed, one name as often as it failed; null where its report could not be read. */
  readonly failures: readonly string[] | null;
}

export interface Compared {
  readonly outcome: CheckResult["outcome"];
  /** What fails and did not fail on the base; null where that cannot be told. */
  readonly fresh: readonly string[] | null;
  /** How many of the failures are those of the base. */
  readonly known: number;
}

/**
 * A result held against the one of the base: `known-failure` where nothing became worse.
 *
 * @param now what came out
 * @param base of the same command; undefined where it did not run there
 */
export function againstBase(now: BaseOutcome, base: BaseOutcome | undefined): Compared {
  const asItIs: Compared = { outcome: now.outcome, fresh: null, known: 0 };
  if (now.outcome === "passed" || base === undefined || base.outcome === "passed") return asItIs;
  const known: Compared = { outcome: "known-failure", fresh: null, known: 0 };
  // A program that is not there, or a check that nobody waits out, is no work of the agent.
  if (now.outcome !== "failed") return now.outcome === base.outcome ? known : asItIs;
  if (base.failures === null) return known;
  if (now.failures === null) return asItIs;
  const left = new Map<string, number>();
  for (const name of base.failures) left.set(name, (left.get(name) ?? 0) + 1);
  const fresh = now.failures.filter((name) => {
    const count = left.get(name) ?? 0;
    left.set(name, count - 1);
    return count < 1;
  });
  return {
    outcome: fresh.length === 0 ? "known-failure" : "failed",
    fresh,
    known: now.failures.length - fresh.length,
  };
}

/** Whether a result keeps work from counting as done. */
export const isBlocking = ({ outcome }: Pick<CheckResult, "outcome">): boolean =>
  outcome !== "passed" && outcome !== "known-failure";

/** Names that one line shows; the rest is counted. */
export function fewNames(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
