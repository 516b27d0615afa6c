/** What is kept of archangels and of what they said. Plain JSON; `archangel-events.ts` alone writes it. */
import type { ArchangelWake, CommentRelation, Delivery, Suggestion } from "./archangel.ts";

/** The last time that something happened to somebody that may wake an archangel. */
export interface Moment {
  readonly wake: ArchangelWake;
  /** The worker, the orchestrator, or the session outside Hox. */
  readonly who: string;
  /** Which one of all moments of the run it was, from 1 on. */
  readonly nth: number;
}

/** What came to an archangel's mind about somebody's work; it leads to nothing by itself. */
export interface CommentRecord {
  readonly id: string;
  readonly archangel: string;
  readonly worker: string | null;
  readonly changeId: string | null;
  readonly commit: string | null;
  readonly path: string | null;
  readonly line: number | null;
  readonly lineText: string | null;
  readonly text: string;
  readonly relation: CommentRelation;
  readonly step: string | null;
  readonly at: number;
  readonly isResolved: boolean;
  readonly isOutdated: boolean;
  readonly sentTo: string | null;
  readonly replies: readonly { readonly by: string; readonly text: string; readonly at: number }[];
  /** So many of the replies its archangel knows. */
  readonly repliesKnown: number;
  /** The commit in which its line was looked for last. */
  readonly placedIn: string | null;
}

export type SuggestionState = "open" | "task" | "message" | "idea" | "refused";

export interface SuggestionRecord extends Suggestion {
  readonly id: string;
  /** Name of the archangel. */
  readonly agent: string;
  readonly session: string | null;
  readonly at: number;
  readonly state: SuggestionState;
}

/** What one archangel has been told, and what it looked at. */
export interface ToldArchangel {
  readonly delivery: Delivery;
  /** Commit of each change or session that it saw last, by worker or session. */
  readonly seen: Readonly<Record<string, string>>;
}

export interface ArchangelsOfRun {
  /** How many moments there were. */
  readonly moments: number;
  /** The last of each kind and whose it was. */
  readonly last: readonly Moment[];
  /** The last phase of each orchestrator whose end was seen. */
  readonly phasesSeen: Readonly<Record<string, number>>;
  /** By name of the archangel. */
  readonly told: Readonly<Record<string, ToldArchangel>>;
  /** The oldest first. */
  readonly comments: readonly CommentRecord[];
  readonly suggestions: readonly SuggestionRecord[];
}

export const noArchangels: ArchangelsOfRun = {
  moments: 0,
  last: [],
  phasesSeen: {},
  told: {},
  comments: [],
  suggestions: [],
};
