import { type RefObject, useMemo, useState } from "react";
import type { CommentView } from "#shared/contract/views/archangel.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import type { DiffNote } from "../../kit/diff-view.tsx";
import { useComments } from "../../state/comments.ts";
import { useHost, useWorkerOf } from "../../state/host-store.ts";
import { useReplay } from "../../state/replay-store.ts";
import { CommentCard } from "../archangel/comment-card.tsx";
import { CommentForm } from "./comment-form.tsx";
import { placedRemarks } from "./placed-remarks.ts";

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
  const [writing, setWriting] = useState<Place | null>(null);
  const notes = useMemo(() => {
    const all = [
      ...comments.flatMap(commentNote),
      ...remarkNotes(worker, paths),
      ...(writing && worker
        ? [
            {
              key: "writing",
              ...writing,
              content: (
                <CommentForm
                  changeId={changeId}
                  worker={worker}
                  place={writing}
                  onDone={() => {
                    setWriting(null);
                    // The keys of the page go on where the form was.
                    page.current?.focus({ preventScroll: true });
                  }}
                />
              ),
            },
          ]
        : []),
    ];
    return Map.groupBy(all, ({ path }) => path);
  }, [comments, worker, paths, writing, changeId, page]);
  const canWrite = worker !== null && isLive && !isReplaying;
  const onComment = useMemo(
    () => (canWrite ? (path: string, line: number) => setWriting({ path, line }) : null),
    [canWrite],
  );
  return { notesOf: (path: string): readonly DiffNote[] => notes.get(path) ?? none, onComment };
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

/** What was said of the last round stands where it is about; earlier rounds saw other lines. */
export function remarkNotes(worker: WorkerView | null, paths: readonly string[]): readonly DiffNote[] {
  const { reviews = [], round = 0 } = worker?.fold ?? {};
  return reviews
    .filter((review) => review.round === round && review.by !== "checks" && review.verdict === "changes")
    .flatMap(({ by, words }) =>
      placedRemarks(words, paths).map(({ path, line, text }) => ({
        key: `${by} ${path} ${line} ${text}`,
        path,
        line,
        content: (
          <article className="rounded-lg border border-warning bg-warning-soft px-2.5 py-2 font-sans text-sm text-text">
            <p className="font-medium">{reviewers[by]} asks for a change</p>
            <p className="whitespace-pre-wrap" data-selectable>
              {shownText(text)}
            </p>
          </article>
        ),
      })),
    );
}

const reviewers = {
  checks: "Checks",
  first: "The first reviewer",
  parent: "The orchestrator",
  person: "You",
} as const;
