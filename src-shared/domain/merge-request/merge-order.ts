/** Which of several pieces of finished work that collide is merged first. */

import { compareQueued, type Queued } from "../change-metadata/rank.ts";

/** Finished work that waits to be merged; `id` is its agent's name. */
export interface FinishedWork extends Queued {
  /** Files in which it collides with other finished work. */
  readonly collisions: number;
  /** Files that it changes. */
  readonly files: number;
}

/**
 * The order that leaves few conflicts to resolve: first what collides in the fewest files, then what changes the fewest,
 * then the order in which the tasks are queued. Total, so that no two wait for each other.
 * @returns negative when `one` comes first, as `sort` wants it
 */
export const compareFinished = (one: FinishedWork, other: FinishedWork): number =>
  one.collisions - other.collisions || one.files - other.files || compareQueued(one, other);
