import type { CheckOutcome } from "../../domain/project/known-failures.ts";

/** The project's checks on what the run builds on. */
export interface FirstLookView {
  readonly commitId: string;
  /** Nobody has to say anything to it any more. */
  readonly isSettled: boolean;
  /** All of it as text. */
  readonly lines: readonly string[];
  /** Tools of another version than the project asks for. */
  readonly versions: readonly string[];
  readonly checks: readonly {
    readonly name: string;
    readonly command: string;
    readonly outcome: CheckOutcome;
    readonly ms: number;
    readonly failureCount: number | null;
    readonly remedy: string | null;
    readonly isLeftOut: boolean;
  }[];
  /** No check will run. */
  readonly isUnchecked: boolean;
}
