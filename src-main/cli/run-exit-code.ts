import type { InboxKind } from "#shared/contract/cards.ts";
import type { RunEnd } from "#shared/domain/run/stage-state.ts";
import { type ExitCode, exitCode } from "./command-line.ts";

/** Why `hox run` leaves its terminal. */
export type RunExit =
  /** The run is over. */
  | { readonly kind: "over"; readonly by: RunEnd | null }
  /** Nobody is there to answer a card. */
  | { readonly kind: "card"; readonly card: InboxKind }
  /** The provider's quota is used up, until the user says that it has returned. */
  | { readonly kind: "quota" }
  /** Ctrl-C, or another host took the repository over; `isSaved`: what had to be kept was kept. */
  | { readonly kind: "interrupted"; readonly isSaved: boolean };

const codeOfEnd: Readonly<Record<RunEnd, ExitCode>> = {
  goal: exitCode.done,
  rejection: exitCode.rejected,
  budget: exitCode.budget,
  abandonment: exitCode.error,
  error: exitCode.error,
  person: exitCode.error,
  restore: exitCode.error,
};

/** The exit code depends on the cause alone. */
export function exitCodeOf(exit: RunExit): ExitCode {
  switch (exit.kind) {
    case "over":
      return exit.by === null ? exitCode.error : codeOfEnd[exit.by];
    case "card":
      return exit.card === "budget" ? exitCode.budget : exitCode.waits;
    case "quota":
      return exitCode.waits;
    case "interrupted":
      return exit.isSaved ? exitCode.interrupted : exitCode.error;
    default: {
      const never: never = exit;
      return never;
    }
  }
}
