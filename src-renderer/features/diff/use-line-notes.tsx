import { type RefObject, useMemo, useState } from "react";
import type { CommentView } from "#shared/contract/views/archangel.ts";
import type { Change } from "#shared/graph/change.ts";
import type { DiffNote } from "../../kit/diff-view.tsx";
import { useComments } from "../../state/comments.ts";
import { useHost, useWorkerOf } from "../../state/host-store.ts";
import { useReplay } from "../../state/replay-store.ts";
import { CommentCard } from "../archangel/comment-card.tsx";
import { CommentForm } from "./comment-form.tsx";
import { LaterForm } from "./later-form.tsx";
import { useRemarkNotes } from "./use-remark-notes.tsx";

interface Place {
  readonly path: string;
  readonly line: number;
}

const none: readonly DiffNote[] = [];

/** What stands at the lines of a change: comments, remarks of its reviews, and the comment that is being written. */
export function useLineNotes(change: Change, paths: readonly string[], page: RefObject<HTMLElement | null>) {
  const { changeId } = change;
  const comments = useComments(changeId);
  const worker = useWorkerOf(changeId);
  const isLive = useHost(({ run }) => run !== null && run.endedAt === null);
  const isReplaying = useReplay(({ view }) => view !== null);
  const remarks = useRemarkNotes(change, worker, paths);
  const [writing, setWriting] = useState<Place | null>(null);
  const notes = useMemo(() => {
    const onDone = (): void => {
      setWriting(null);
      // The keys of the page go on where the form was.
      page.current?.focus({ preventScroll: true });
    };
    const form = (place: Place): React.ReactNode =>
      worker !== null && isLive ? (
        <CommentForm {...{ changeId, worker, place, onDone }} />
      ) : (
        <LaterForm {...{ change, place, onDone }} />
      );
    const all: readonly DiffNote[] = [
      ...comments.flatMap(commentNote),
      ...remarks,
      ...(writing ? [{ key: "writing", ...writing, content: form(writing) }] : []),
    ];
    return Map.groupBy(all, ({ path }) => path);
  }, [comments, remarks, worker, isLive, writing, change, changeId, page]);
  const onComment = useMemo(
    () => (isReplaying ? null : (path: string, line: number) => setWriting({ path, line })),
    [isReplaying],
  );
  const elsewhere = useMemo(
    () => [...notes].flatMap(([path, those]) => (paths.includes(path) ? [] : those)),
    [notes, paths],
  );
  return {
    notesOf: (path: string): readonly DiffNote[] => notes.get(path) ?? none,
    /** Of files that the change does not touch. */
    elsewhere,
    /** Null in a replay: what was is over. */
    onComment,
  };
}

const commentNote = (comment: CommentView): readonly DiffNote[] =>
  comment.path === null || comment.line === null || comment.isResolved
    ? []
    : [
        {
          key: comment.id,
          path: comment.path,
          line: comment.line,
          content: <CommentCard comment={comment} isAtLine />,
        },
      ];
