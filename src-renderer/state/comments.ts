/** What archangels say of changes, as the screen asks for it. */
import { create } from "zustand";
import type { RunView } from "#shared/contract/views/run.ts";
import type { CommentView } from "#shared/domain/archangel/archangel-records.ts";
import { useHost } from "./host-store.ts";
import { inspect, inspectRun } from "./selection-store.ts";

const none: readonly CommentView[] = [];

export const isOpen = ({ isResolved, isOutdated }: CommentView): boolean => !isResolved && !isOutdated;

/** By file and line; those about the whole change first, resolved ones last. */
const inOrder = (one: CommentView, other: CommentView): number =>
  Number(one.isResolved) - Number(other.isResolved) ||
  (one.path ?? "").localeCompare(other.path ?? "") ||
  (one.line ?? 0) - (other.line ?? 0) ||
  one.at - other.at;

const ordered = new WeakMap<readonly CommentView[], ReadonlyMap<string, readonly CommentView[]>>();

/**
 * Change id → what is said of it; built once for each list of comments. A thread of a pull request is about the result, too.
 */
function byChange(
  comments: readonly CommentView[],
  integration: string | null,
): ReadonlyMap<string, readonly CommentView[]> {
  const known = ordered.get(comments);
  if (known) return known;
  const made = new Map<string, CommentView[]>();
  for (const comment of comments)
    for (const changeId of new Set([comment.changeId, comment.thread ? integration : null])) {
      if (changeId === null) continue;
      const those = made.get(changeId);
      if (those) those.push(comment);
      else made.set(changeId, [comment]);
    }
  for (const those of made.values()) those.sort(inOrder);
  ordered.set(comments, made);
  return made;
}

export const commentsOfRun = (run: RunView | null): readonly CommentView[] =>
  run?.comments?.toSorted(inOrder) ?? none;

const commentsOn = (run: RunView | null, changeId: string): readonly CommentView[] =>
  (run?.comments && byChange(run.comments, run.integration).get(changeId)) || none;

/** What is said of one change. */
export const useComments = (changeId: string): readonly CommentView[] =>
  useHost(({ run }) => commentsOn(run, changeId));

/** The number of unresolved comments on one change. */
export const useOpenComments = (changeId: string): number =>
  useHost(({ run }) => commentsOn(run, changeId).filter(isOpen).length);

interface ShownComment {
  /** The comment that is to be shown and to have the focus, until it has. */
  readonly comment: string | null;
}

export const useShownComment = create<ShownComment>(() => ({ comment: null }));

/** Shows a comment at its line in the diff of its change, or in the list of the run. */
export function showComment({ id, changeId }: Pick<CommentView, "id" | "changeId">): void {
  useShownComment.setState({ comment: id });
  if (changeId === null) inspectRun();
  else inspect(changeId);
}

export const commentIsShown = (id: string): void => {
  if (useShownComment.getState().comment === id) useShownComment.setState({ comment: null });
};
