import type { CheckResult } from "../../domain/conversation.ts";
import type { LandingHistory } from "../../domain/landing-text.ts";
import type { CardBase } from "./card.ts";

export interface LandCard extends CardBase {
  readonly kind: "land";
  readonly changeId: string;
  readonly commitId: string;
  readonly diffStat: readonly {
    readonly path: string;
    readonly added: number;
    readonly removed: number;
  }[];
  readonly bookmarks: readonly string[];
  readonly suggested: string | null;
  /** Of those files, the protected ones. Absent on cards of earlier versions. */
  readonly protectedPaths?: readonly string[];
  /** No check ran on it. Absent on cards of earlier versions. */
  readonly isUnchecked?: boolean;
  /** Names of checks that fail on it as they did before the run. Absent on cards of earlier versions. */
  readonly knownFailures?: readonly string[];
  /** The branch that the person stands on with Git. This and what follows is absent on cards of earlier versions. */
  readonly standsOn?: string | null;
  /** What lands where nothing else is said. */
  readonly history?: LandingHistory;
  /** The branch moved on since the run began, and the result was brought onto it. */
  readonly brought?: {
    readonly branch: string;
    readonly commits: readonly string[];
    readonly commitCount: number;
    readonly checks: readonly CheckResult[];
  } | null;
  /** What keeps the branch from moving now, and what to do. */
  readonly inTheWay?: string | null;
}
