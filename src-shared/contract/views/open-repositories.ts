/** The repositories that are open in one host, in a few words each: what a window knows of those that it does not show. */

import type { Opener, OpenerKind } from "../../domain/open-in/opener.ts";
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

/** A program that may open places, and whether it is on the machine of the host. */
export interface OpenerView extends Opener {
  readonly isFound: boolean;
}

export type OpenersView = Readonly<Record<OpenerKind, readonly OpenerView[]>>;

/** What became of opening a place. */
export type OpenedView =
  /** `note`: a limitation, e.g. that the file is a read-only copy. */
  | { readonly kind: "opened"; readonly program: string; readonly path: string; readonly note: string | null }
  /** The window is on another machine than the host, so no program is started there. */
  | {
      readonly kind: "elsewhere";
      readonly path: string;
      readonly folder: string;
      readonly line: number | null;
      readonly note: string | null;
      /** Of the machine of the host, for `ssh`. */
      readonly machine: string;
      readonly user: string;
    };
