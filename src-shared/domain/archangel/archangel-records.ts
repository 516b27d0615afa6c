/** Stored data of archangels and their comments. Plain JSON; only `archangel-events.ts` writes it. */
import {
  type Archangel,
  type ArchangelWake,
  type CommentRelation,
  type Delivery,
  nothingDelivered,
  type Suggestion,
} from "./archangel.ts";

/** The last event of a worker that may wake an archangel. */
export interface Moment {
  readonly wake: ArchangelWake;
  /** The worker, the orchestrator, or the session outside Hox. */
  readonly who: string;
  /** Which one of all moments of the run it was, from 1 on. */
  readonly nth: number;
}

/** Replaces an archangel's name in the user's comments. */
export const byUser = "you";

interface CommentReply {
  /** `you`, or the archangel's name. */
  readonly by: string;
  readonly text: string;
  readonly at: number;
}

/** An archangel's comment on work; it has no effect unless it is sent. */
export interface CommentRecord {
  readonly id: string;
  readonly archangel: string;
  /** Whose work it is about; null for work outside Hox. */
  readonly worker: string | null;
  readonly changeId: string | null;
  /** As it was seen. */
  readonly commit: string | null;
  /** Null: the change as a whole. */
  readonly path: string | null;
  /** The current line number, from 1 on; null if the line is gone or there is none. */
  readonly line: number | null;
  /** The line in its own words, by which it is found again. */
  readonly lineText: string | null;
  readonly text: string;
  /** `remark`: the user's, without a relation to the plan. */
  readonly relation: CommentRelation | "remark";
  /** Id or title of the plan's step that it is about. */
  readonly step: string | null;
  readonly at: number;
  readonly isResolved: boolean;
  /** The line is gone. */
  readonly isOutdated: boolean;
  /** The agent that received it; null: none. */
  readonly sentTo: string | null;
  readonly replies: readonly CommentReply[];
  /** Number of replies that its archangel has received. */
  readonly seenReplies: number;
  /** The commit in which its line was looked for last. */
  readonly placedIn: string | null;
}

export type SuggestionState = "open" | "task" | "message" | "idea" | "refused";

export interface SuggestionRecord extends Suggestion {
  readonly id: string;
  /** Who suggests it: the name of the archangel. */
  readonly agent: string;
  /** The worker, or the session outside Hox, whose work led to it. */
  readonly session: string | null;
  readonly at: number;
  readonly state: SuggestionState;
  /** The orchestrator that made it a task of its plan. Absent if none did, or the user decided. */
  readonly takenBy?: string;
}

/** What one archangel has received and reviewed. */
export interface ArchangelProgress {
  readonly delivery: Delivery;
  /** Commit of each change or session that it saw last, by worker or session. */
  readonly seen: Readonly<Record<string, string>>;
}

/** Somebody's work as it was when a review began. */
export interface SeenWork {
  /** The worker, or the session outside Hox. */
  readonly who: string;
  /** Null for a session, whose files are not recorded. */
  readonly commit: string | null;
  /** Of a session, the last of its turns that the files are of. */
  readonly turn?: number;
  /** Files that are new to the archangel and that it watches. */
  readonly files: readonly string[];
}

/** What counts as delivered once the model has answered. */
export interface ReviewedMaterial {
  readonly upTo: number;
  readonly planHash: string | null;
  readonly todosHash: string | null;
  /** By worker. */
  readonly seen: Readonly<Record<string, string>>;
  /** By comment. */
  readonly heard: Readonly<Record<string, number>>;
}

/** Comments and suggestions in a review; published when the model has answered. */
export interface ReviewStatements {
  readonly comments: readonly CommentRecord[];
  readonly suggestions: readonly SuggestionRecord[];
  /** By comment. */
  readonly replies: Readonly<Record<string, string>>;
}

export const noStatements: ReviewStatements = { comments: [], suggestions: [], replies: {} };

/** An open review: a crash loses none of it. */
export interface OpenReview {
  /** Of its conversation. */
  readonly key: string;
  readonly delivered: ReviewedMaterial;
  readonly work: readonly SeenWork[];
  readonly statements: ReviewStatements;
  /** The answer to each call with statements, by its id: a repeated call adds nothing twice. */
  readonly calls: Readonly<Record<string, string>>;
}

export interface ArchangelsOfRun {
  /** How many moments there were. */
  readonly moments: number;
  /** The last of each kind and whose it was. */
  readonly last: readonly Moment[];
  /** The last phase of each orchestrator whose end was seen. */
  readonly phasesSeen: Readonly<Record<string, number>>;
  /** By name of the archangel. */
  readonly delivered: Readonly<Record<string, ArchangelProgress>>;
  /** By name of the archangel. */
  readonly reviews: Readonly<Record<string, OpenReview>>;
  /** The oldest first. */
  readonly comments: readonly CommentRecord[];
  readonly suggestions: readonly SuggestionRecord[];
}

export const noArchangels: ArchangelsOfRun = {
  moments: 0,
  last: [],
  phasesSeen: {},
  delivered: {},
  reviews: {},
  comments: [],
  suggestions: [],
};

/** The suggestions after an open one was changed; decided ones stay as they are. (AX-11) */
export const changeOpenSuggestion = (
  before: ArchangelsOfRun,
  id: string,
  change: Partial<SuggestionRecord>,
): ArchangelsOfRun =>
  before.suggestions.some((one) => one.id === id && one.state === "open")
    ? {
        ...before,
        suggestions: before.suggestions.map((one) => (one.id === id ? { ...one, ...change } : one)),
      }
    : before;

/** The conversation on a forge that a comment is. */
interface CommentThread {
  readonly id: string;
  /** Of the pull request. */
  readonly branch: string;
  readonly number: number;
  readonly url: string;
  /** The commit that answered it; null: none did. */
  readonly addressedIn: string | null;
}

/** What an archangel says of a line, or of a change as a whole. It blocks nothing and counts as no vote. */
export type CommentView = Omit<CommentRecord, "seenReplies" | "placedIn"> & {
  /** Absent: it is written in Hox. */
  readonly thread?: CommentThread;
};

/** Words that do not change the meaning. */
const small = new Set(["a", "an", "the", "to", "of", "in", "on", "for", "and", "please", "should", "must"]);

/**
 * A key that is equal for suggestions with the same meaning: ignoring small words, their order and case, for
 * the same files.
 *
 * @param suggestion as the archangel wrote it
 * @returns the key it is stored under
 */
export function suggestionKey({ suggestion, files }: Pick<Suggestion, "suggestion" | "files">): string {
  const words = suggestion.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const meant = [...new Set(words.filter((word) => !small.has(word)))].toSorted();
  return `${meant.join(" ")} | ${[...new Set(files)].toSorted().join(" ")}`;
}

// How a comment follows the line that it is about, through everything that is written around it.

/** A line with its number, from 1 on. */
export interface NumberedLine {
  readonly line: number;
  readonly words: string;
}

/**
 * The current number of a line: the old one, or the nearest line with the same text.
 *
 * @param text of the file as it is now; null: there is no such file
 * @param line the old number, from 1 on
 * @param lineText the line's text
 * @returns null if it is gone
 */
export function lineNow(text: string | null, line: number, lineText: string): number | null {
  if (text === null) return null;
  const lines = text.split("\n").map((words, place) => ({ line: place + 1, words }));
  return nearestLine(lines, line, lineText);
}

/** As `lineNow`, where only some lines of the text are known. */
export function nearestLine(lines: readonly NumberedLine[], line: number, lineText: string): number | null {
  const wanted = lineText.trim();
  return lines.reduce<number | null>(
    (nearest, { line: place, words }) =>
      words.trim() === wanted && (nearest === null || Math.abs(place - line) < Math.abs(nearest - line))
        ? place
        : nearest,
    null,
  );
}

export interface DueReview {
  /** How many moments of the run it knows once it has answered. */
  readonly upTo: number;
  /** Those that wake it, the oldest first. */
  readonly moments: readonly Moment[];
  /** Its comments with new replies. */
  readonly replied: readonly CommentRecord[];
}

/** Moments about work, which may contain nothing that the archangel watches. */
export const workWakes: readonly ArchangelWake[] = ["iteration_saved", "merge_requested"];

/** Moments after which it looks at whatever it has not seen, whosever it is. */
export const wholeWakes: readonly ArchangelWake[] = ["phase_end", "idle"];

/** What an archangel has received so far. */
export const deliveryTo = ({ delivered }: ArchangelsOfRun, name: string): Delivery =>
  (Object.hasOwn(delivered, name) ? delivered[name]?.delivery : undefined) ?? nothingDelivered;

/** Commits that it has seen, by worker. */
export const seenBy = ({ delivered }: ArchangelsOfRun, name: string): Readonly<Record<string, string>> =>
  (Object.hasOwn(delivered, name) ? delivered[name]?.seen : undefined) ?? {};

/**
 * All that came since it answered last, as one review.
 *
 * @param state of the run
 * @param archangel as it is set up now
 * @returns null where it may sleep on
 */
export function dueReview(
  state: ArchangelsOfRun,
  { name, isOn, wakes }: Pick<Archangel, "name" | "isOn" | "wakes">,
): DueReview | null {
  if (!isOn) return null;
  const { parentContextOffset } = deliveryTo(state, name);
  const moments = state.last.filter(({ nth, wake }) => nth > parentContextOffset && wakes.includes(wake));
  const replied = state.comments.filter((one) => one.archangel === name && newReplies(one).length > 0);
  return moments.length === 0 && replied.length === 0 ? null : { upTo: state.moments, moments, replied };
}

/** What others answered to a comment and its archangel does not know. */
export const newReplies = ({
  replies,
  seenReplies,
  archangel,
}: Pick<CommentRecord, "replies" | "seenReplies" | "archangel">): CommentRecord["replies"] =>
  replies.slice(seenReplies).filter(({ by }) => by !== archangel);
