import type { FirstLookTrouble, NamedChecks } from "../../domain/project/first-look.ts";
import type { CheckOutcome } from "../../domain/project/known-failures.ts";
import type { CardBase } from "./card.ts";

/** Before the plan: nothing would be checked, something is red already, or takes too long. */
export interface FirstLookCard extends CardBase {
  readonly kind: "first-look";
  readonly commitId: string;
  readonly troubles: readonly FirstLookTrouble[];
  /** What the project is, in a few lines. */
  readonly facts: readonly string[];
  readonly checks: readonly {
    readonly name: string;
    readonly command: string;
    readonly speed: "fast" | "slow";
    readonly reason: string;
    readonly outcome: CheckOutcome;
    readonly ms: number;
    readonly isSlow: boolean;
    /** The first names of what failed; null where its report could not be read. */
    readonly failures: readonly string[] | null;
    readonly failureCount: number | null;
    readonly output: string;
    readonly remedy: string | null;
  }[];
  readonly setUpFailures: readonly string[];
  /** What would be written as `[backpressure]`. */
  readonly proposed: NamedChecks;
}
