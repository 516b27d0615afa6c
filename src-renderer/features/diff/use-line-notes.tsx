import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import type { CommentView } from "#shared/domain/archangel/archangel-records.ts";
import { forgeNames, isTerminal } from "#shared/domain/forge/forge-facts.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import type { DiffNote } from "../../kit/diff-view.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { TextArea } from "../../kit/field.tsx";
import { focusSoon } from "../../kit/focus-soon.ts";
import { matches } from "../../kit/key-table.ts";
import { Keys } from "../../kit/keys.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { useComments } from "../../state/comments.ts";
import { draftRun, useDraft } from "../../state/drafts.ts";
import { subjectOf } from "../../state/graph-store.ts";
import { useHost, useWorkerOf } from "../../state/host-store.ts";
import { notify } from "../../state/notify.ts";
import { useReplay } from "../../state/replay-store.ts";
import { useSubmit } from "../../state/use-loaded.ts";
import { writableNow } from "../agent/writable.ts";
import { CommentCard } from "../archangel/comment-card.tsx";
import { useRemarkNotes } from "./use-remark-notes.tsx";

interface Place {
  readonly path: string;
  readonly line: number;
}

const none: readonly DiffNote[] = [];

/** The notes at the lines of a change: comments, remarks of its reviews, and the comment that is being written. */
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

type Reader = "agent" | "orchestrator" | "review" | "forge";

interface CommentFormProps {
  readonly changeId: string;
  readonly worker: WorkerView;
  readonly place: { readonly path: string; readonly line: number };
  readonly onDone: () => void;
}

const readerHints: Partial<Readonly<Record<Reader, string>>> = {
  review: "The reviewer of this work sees it in the diff.",
  forge: "Begins a thread on the pull request in your name, as you wrote it.",
};

/** Where the run has an open pull request; null: it has none. */
function forgeOf(run: RunView | null): string | null {
  const { publication } = run ?? {};
  const isOpen = publication?.parts.some(
    ({ pullRequest, followed }) => pullRequest !== null && (followed === null || !isTerminal(followed.state)),
  );
  return publication && isOpen ? forgeNames[publication.repository.forge] : null;
}

/** Whom the last comment was for: the next one is mostly for the same. */
let lastReader: Reader = "agent";

/** A comment on one line, and who reads it. */
function CommentForm({ changeId, worker, place, onDone }: CommentFormProps) {
  const [text, setText] = useDraft(lineDraft(changeId, place), "");
  const finish = (): void => {
    setText("");
    onDone();
  };
  const run = useHost((state) => state.run);
  const lead = run?.workers.find(({ name }) => name === worker.parent);
  const forge = forgeOf(run);
  const hears = (one: WorkerView | undefined): boolean =>
    run !== null && one !== undefined && writableNow(one, run)?.kind === "open";
  const readers: readonly (readonly [Reader, string])[] = [
    ...(hears(worker) ? [["agent", worker.name] as const] : []),
    ...(hears(lead) && lead ? [["orchestrator", lead.name] as const] : []),
    ["review", "The review"],
    ...(forge === null ? [] : [["forge", forge] as const]),
  ];
  const [chosen, setChosen] = useState<Reader>(lastReader);
  const reader = readers.some(([one]) => one === chosen) ? chosen : (readers[0]?.[0] ?? "review");
  const { sending, failure, submit } = useSubmit<"sending">();
  const isUsable = text.trim() !== "" && sending === null;
  const send = (): Promise<void> =>
    submit("sending", async () => {
      const comment = { changeId, ...place, text: text.trim() };
      if (reader === "forge") await client.pullRequest.comment(comment);
      else await client.comment.write({ ...comment, to: reader });
      lastReader = reader;
      finish();
    });
  return (
    <CommentFrame
      line={place.line}
      text={text}
      onText={setText}
      onSend={() => isUsable && void send()}
      onDone={onDone}
    >
      {failure && <FailureLine failure={failure} />}
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label="Send to"
          value={reader}
          options={readers.map(([value, label]) => ({ value, label }))}
          onChange={setChosen}
        />
        <span className="min-w-0 flex-1 text-xs text-faint">
          {readerHints[reader] ?? "Sent as a message from you."}
        </span>
        <Button size="sm" onClick={finish}>
          Cancel
        </Button>
        <Button size="sm" look="primary" type="submit" disabled={!isUsable}>
          Comment <Keys keys="mod+Enter" />
        </Button>
      </div>
    </CommentFrame>
  );
}

interface CommentFrameProps {
  readonly line: number;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSend: () => void;
  readonly onDone: () => void;
  /** What can be done with the words. */
  readonly children: ReactNode;
}

/** The draft key of a comment on a line, whoever would read it. */
const lineDraft = (changeId: string, { path, line }: { path: string; line: number }): string =>
  `line ${changeId} ${path} ${line}`;

/** What is written of one line, below it. */
const CommentFrame = ({ line, text, onText, onSend, onDone, children }: CommentFrameProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  // Not autoFocus: the diff gives a note its slot after the note was mounted, and an element without one takes no focus.
  useEffect(() => {
    field.current?.focus();
    if (document.activeElement !== field.current) focusSoon(() => field.current);
  }, []);
  return (
    <form
      aria-label={`Comment on line ${line}`}
      className="flex flex-col gap-1.5 rounded-lg border bg-surface px-2.5 py-2 font-sans text-base text-text"
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
      // Also from the choice of who reads it.
      onKeyDown={(event) => {
        // The arrows and letters of the diff mean something else in here.
        event.stopPropagation();
        if (event.key === "Escape") {
          event.preventDefault();
          onDone();
        } else if (matches(event, "mod+Enter")) {
          event.preventDefault();
          onSend();
        }
      }}
    >
      <TextArea
        ref={field}
        rows={3}
        aria-label="Comment"
        placeholder={`Comment on line ${line}`}
        maxLength={20_000}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      {children}
    </form>
  );
};

interface LaterFormProps {
  readonly change: Change;
  readonly place: { readonly path: string; readonly line: number };
  readonly onDone: () => void;
}

/** A comment that no agent reads now: it starts a run, or waits for one. */
function LaterForm({ change, place, onDone }: LaterFormProps) {
  const [text, setText, takeOut] = useDraft(lineDraft(change.changeId, place), "");
  const finish = (): void => {
    setText("");
    onDone();
  };
  const { sending, failure, submit } = useSubmit<"copying" | "keeping">();
  const comment = text.trim();
  const isUsable = comment !== "" && sending === null;
  const subject = subjectOf(change);
  const words = `In ${shownName(place.path)}, line ${place.line}${subject === "" ? "" : ` of “${subject}”`}: ${comment}`;
  const start = (): void => {
    // Whoever closes the dialog finds them here.
    draftRun({ goal: words, onto: change.changeId, isQuick: true, onStarted: () => takeOut(text) });
    onDone();
  };
  const keep = (): Promise<void> =>
    submit("keeping", async () => {
      await client.ideas.add({ text: words });
      notify("info", "Saved as an idea. You find it in the dialog that starts a run.");
      finish();
    });
  const copy = (): Promise<void> =>
    submit("copying", async () => {
      await navigator.clipboard.writeText(words);
      notify("info", "Copied.");
    });
  return (
    <CommentFrame
      line={place.line}
      text={text}
      onText={setText}
      onSend={() => isUsable && start()}
      onDone={onDone}
    >
      <p className="text-xs text-muted">
        No agent works on this change, so no agent would read a comment. Start a run with this text, or save
        it as an idea for a later run.
      </p>
      {failure && <FailureLine failure={failure} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Button size="sm" onClick={finish}>
          Cancel
        </Button>
        <Button size="sm" disabled={!isUsable} onClick={() => void copy()}>
          Copy
        </Button>
        <Button size="sm" disabled={!isUsable} onClick={() => void keep()}>
          Save as idea
        </Button>
        <Button size="sm" look="primary" type="submit" disabled={!isUsable}>
          Start a run… <Keys keys="mod+Enter" />
        </Button>
      </div>
    </CommentFrame>
  );
}

/**
 * A comment at its line; resolved ones of Hox, and those about a line that is gone, are only in the list of comments. A
 * resolved thread of a forge stays at its line, as it does there.
 */
export const commentNote = (comment: CommentView): readonly DiffNote[] =>
  comment.path === null || comment.line === null || (comment.isResolved && !comment.thread)
    ? []
    : [
        {
          key: comment.id,
          path: comment.path,
          line: comment.line,
          // The lines of a thread are those of what was pushed.
          ...(comment.thread && comment.lineText !== null ? { lineText: comment.lineText } : {}),
          isOnlyAtLine: comment.isResolved,
          content: <CommentCard comment={comment} isAtLine />,
        },
      ];
