/** What wakes an archangel now, from the events since its last review. (design section 11) */
import { type Archangel, type ArchangelWake, type Delivery, nothingDelivered } from "./archangel.ts";
import type { ArchangelsOfRun, CommentRecord, Moment } from "./archangel-records.ts";

export interface DueReview {
  /** How many moments of the run it knows once it has answered. */
  readonly upTo: number;
  /** Those that wake it, the oldest first. */
  readonly moments: readonly Moment[];
  /** Its comments with new replies. */
  readonly replied: readonly CommentRecord[];
}

/** Moments about work, which may contain nothing that the archangel watches. */
export const workWakes: readonly ArchangelWake[] = ["iteration_saved", "work_offered"];

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
