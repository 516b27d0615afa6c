/** The repositories that are open in one host, in a few words each: what a window knows of those that it does not show. */
import type { RunView } from "./run.ts";

export interface OpenRepositoryView {
  readonly path: string;
  readonly name: string;
  /** Another host works here (which one): this one shows the repository and changes nothing. */
  readonly heldBy?: string;
  /** Active ones, and those that ended since the newest one began; the newest last. */
  readonly runs: readonly RunStatus[];
  /** Cards that wait for the user, oldest first. */
  readonly waiting: readonly WaitingCard[];
}

/** The status of a run. */
export interface RunStatus
  extends Pick<
    RunView,
    "id" | "goal" | "stage" | "phase" | "paused" | "endedAt" | "endedBy" | "landed" | "failure"
  > {
  /** Of the phase that is worked on; null before the plan is approved. */
  readonly phaseTitle: string | null;
}

export interface WaitingCard {
  readonly id: string;
  readonly run: string;
  /** What kind of card it is: "Question". */
  readonly title: string;
  readonly headline: string;
}
