import { ExternalLink, MessageSquareText } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { byUser, type CommentView } from "#shared/domain/archangel/archangel-records.ts";
import { shownLine, shownName, shownText } from "#shared/domain/text/shown-text.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { TextArea } from "../../kit/field.tsx";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { Keys } from "../../kit/keys.tsx";
import { openOutside } from "../../kit/open-outside.ts";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { commentIsShown, showComment, useShownComment } from "../../state/comments.ts";
import { useDraft } from "../../state/drafts.ts";
import { useHost } from "../../state/host-store.ts";
import { canBeSent, replyTo, resolveComment, sendComment } from "./comment-actions.ts";

interface CommentCardProps {
  readonly comment: CommentView;
  /** Whether it is shown at its line, which then need not be named. */
  readonly isAtLine?: boolean;
}

interface CommentPlace {
  readonly comment: CommentView;
  readonly isOver: boolean;
  readonly reply: () => void;
}

export const commentKeys: KeyTable<CommentPlace> = {
  place: "On a comment",
  rows: [
    {
      keys: "s",
      what: "send it to its agent, or reopen the task",
      run: ({ comment, isOver }) => !isOver && canBeSent(comment) && void sendComment(comment),
    },
    {
      keys: "r",
      what: "reply",
      run: ({ comment, isOver, reply }) => !isOver && comment.archangel !== byUser && reply(),
    },
    {
      keys: "e",
      what: "resolve or reopen it",
      run: ({ comment, isOver }) =>
        !(comment.thread && isOver) && void resolveComment(comment, !comment.isResolved),
    },
    {
      keys: "o",
      what: "open it in the browser",
      run: ({ comment: { thread } }) => thread !== undefined && openOutside(thread.url),
    },
  ],
};

/** One comment of an archangel with its replies. Keys work where it has the focus. */
export function CommentCard({ comment, isAtLine = false }: CommentCardProps) {
  const card = useRef<HTMLElement>(null);
  const [isReplying, setIsReplying] = useState(false);
  const isOver = useHost(({ run }) => run === null || run.endedAt !== null);
  const isWanted = useShownComment(({ comment: id }) => id === comment.id);
  useEffect(() => {
    if (!isWanted) return;
    card.current?.scrollIntoView({ block: "center" });
    card.current?.focus();
    commentIsShown(comment.id);
  }, [isWanted, comment.id]);

  const press = (event: React.KeyboardEvent): void => {
    takeKey(commentKeys, event, { comment, isOver, reply: () => setIsReplying(true) });
  };

  return (
    <article
      ref={card}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys work where it has the focus
      tabIndex={0}
      onKeyDown={press}
      aria-label={`Comment of ${comment.archangel === byUser ? "yours" : comment.archangel}: ${shownLine(comment.text)}`}
      data-comment={comment.id}
      className={cx(
        "flex flex-col gap-1.5 rounded-lg border bg-surface px-2.5 py-2 font-sans text-base outline-offset-[-1px]",
        comment.isResolved ? "text-muted" : "text-text",
      )}
    >
      <CommentHead comment={comment} />
      {!isAtLine && <Place comment={comment} />}
      <p className="text-sm break-words whitespace-pre-wrap" data-selectable>
        {shownText(comment.text)}
      </p>
      <Replies comment={comment} />
      {isReplying ? (
        <ReplyForm
          comment={comment}
          onDone={() => {
            setIsReplying(false);
            requestAnimationFrame(() => card.current?.focus());
          }}
        />
      ) : (
        <CommentButtons comment={comment} isOver={isOver} onReply={() => setIsReplying(true)} />
      )}
    </article>
  );
}

function CommentHead({ comment }: { readonly comment: CommentView }) {
  const { label, tone } = relations[comment.relation];
  return (
    <header className="flex flex-wrap items-center gap-1.5">
      {comment.archangel !== byUser && <Avatar name={comment.archangel} />}
      <span className="text-sm font-medium">{comment.archangel === byUser ? "You" : comment.archangel}</span>
      {comment.archangel !== byUser && !comment.thread && (
        <Badge tone={comment.isResolved ? "neutral" : tone}>{label}</Badge>
      )}
      {comment.thread && <ThreadBadges {...comment.thread} isResolved={comment.isResolved} />}
      {comment.archangel === byUser && comment.sentTo === null && !comment.isResolved && (
        <Badge tone="info" title="The reviewer of this work reads it">
          for the review
        </Badge>
      )}
      {comment.step !== null && (
        <Badge title={`Step of the plan: ${shownLine(comment.step)}`}>{shownLine(comment.step)}</Badge>
      )}
      {comment.isOutdated && <Badge title="The line it refers to no longer exists">outdated</Badge>}
      {comment.isResolved && <Badge>resolved</Badge>}
      <RelativeTime at={comment.at} className="ml-auto shrink-0 text-xs text-faint" />
    </header>
  );
}

type ThreadBadgesProps = NonNullable<CommentView["thread"]> & Pick<CommentView, "isResolved">;

/** Where a thread is, and what became of it. */
const ThreadBadges = ({ number, addressedIn, isResolved }: ThreadBadgesProps) => (
  <>
    <Badge title="Thread of a pull request">#{number}</Badge>
    {addressedIn !== null ? (
      <Badge tone={isResolved ? "neutral" : "success"} title={addressedIn}>
        addressed in {addressedIn.slice(0, 8)}
      </Badge>
    ) : (
      !isResolved && <Badge tone="warning">open</Badge>
    )}
  </>
);

/** A comment's relation to the plan, on its badge. */
const relations: Readonly<Record<CommentView["relation"], { readonly label: string; readonly tone: Tone }>> =
  {
    off_plan: { label: "off plan", tone: "warning" },
    completes_step: { label: "completes a step", tone: "success" },
    missing_step: { label: "missing step", tone: "info" },
    remark: { label: "remark", tone: "neutral" },
    risk: { label: "risk", tone: "danger" },
  };

/** Link to its line. A line that is gone is shown as text. */
function Place({ comment }: { readonly comment: CommentView }) {
  const { path, line, lineText, worker } = comment;
  if (path === null)
    return <p className="text-xs text-faint">On {worker ?? "work outside Hox"} as a whole</p>;
  const words = `${shownName(path)}${line === null ? "" : `:${line}`}`;
  return (
    <div className="min-w-0">
      {comment.changeId !== null && line !== null ? (
        <LinkButton onClick={() => showComment(comment)} className="max-w-full truncate font-mono text-xs">
          {words}
        </LinkButton>
      ) : (
        <span className="block truncate font-mono text-xs text-faint">{words}</span>
      )}
      {lineText !== null && (
        <pre className="mt-0.5 truncate rounded-sm bg-sunken px-1.5 font-mono text-xs text-muted">
          {shownLine(lineText)}
        </pre>
      )}
    </div>
  );
}

function Replies({ comment: { replies } }: { readonly comment: CommentView }) {
  if (replies.length === 0) return null;
  return (
    <ol className="flex flex-col gap-1.5 border-l-2 pl-2.5">
      {replies.map(({ by, text, at }) => (
        <li key={`${by} ${at}`} className="text-sm">
          <span className="font-medium">{by === "you" ? "You" : by}</span>{" "}
          <RelativeTime at={at} className="text-xs text-faint" />
          <p className="break-words whitespace-pre-wrap" data-selectable>
            {shownText(text)}
          </p>
        </li>
      ))}
    </ol>
  );
}

interface CommentButtonsProps {
  readonly comment: CommentView;
  readonly isOver: boolean;
  readonly onReply: () => void;
}

function CommentButtons({ comment, isOver, onReply }: CommentButtonsProps) {
  return (
    <div className="flex flex-wrap items-center">
      {!isOver && canBeSent(comment) && !comment.isResolved && (
        <Button size="sm" onClick={() => void sendComment(comment)}>
          {comment.thread ? "Reopen task" : `Send to ${comment.worker}`}
          <Keys keys="s" />
        </Button>
      )}
      {!isOver && comment.archangel !== byUser && (
        <Button size="sm" look="ghost" onClick={onReply}>
          Reply
          <Keys keys="r" />
        </Button>
      )}
      {!(comment.thread && isOver) && (
        <Button size="sm" look="ghost" onClick={() => void resolveComment(comment, !comment.isResolved)}>
          {comment.isResolved ? "Reopen" : "Resolve"}
          <Keys keys="e" />
        </Button>
      )}
      {comment.thread && <OpenThread url={comment.thread.url} />}
      {comment.sentTo !== null && (
        <span className="ml-auto truncate text-xs text-faint">sent to {comment.sentTo}</span>
      )}
    </div>
  );
}

const OpenThread = ({ url }: { readonly url: string }) => (
  <Button size="sm" look="ghost" title={shownLine(url)} onClick={() => openOutside(url)}>
    <ExternalLink size={13} aria-hidden /> Open
    <Keys keys="o" />
  </Button>
);

function ReplyForm({ comment, onDone }: { readonly comment: CommentView; readonly onDone: () => void }) {
  const [text, setText] = useDraft(`reply ${comment.id}`, "");
  const finish = (): void => {
    setText("");
    onDone();
  };
  const [isBusy, setIsBusy] = useState(false);
  const send = async (): Promise<void> => {
    if (text.trim() === "" || isBusy) return;
    setIsBusy(true);
    const isSent = await replyTo(comment, text.trim());
    setIsBusy(false);
    if (isSent) finish();
  };
  return (
    <form
      className="flex flex-col gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <TextArea
        autoFocus
        rows={2}
        aria-label={`Reply to ${comment.archangel}`}
        placeholder={`${comment.archangel} will read this in its next review`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onSend={send}
        onCancel={onDone}
      />
      <div className="flex gap-1.5">
        <Button size="sm" type="submit" look="primary" disabled={isBusy || text.trim() === ""}>
          Reply
        </Button>
        <Button size="sm" onClick={finish}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** Comments one below the other; the resolved ones are folded away. */
export function CommentList({ comments }: { readonly comments: readonly CommentView[] }) {
  const open = comments.filter(({ isResolved }) => !isResolved);
  const resolved = comments.filter(({ isResolved }) => isResolved);
  if (comments.length === 0)
    return (
      <EmptyState icon={<MessageSquareText size={20} />} title="No comments">
        Comments from enabled archangels appear here.
      </EmptyState>
    );
  return (
    <div className="flex flex-col gap-2">
      {open.map((comment) => (
        <CommentCard key={comment.id} comment={comment} />
      ))}
      {resolved.length > 0 && (
        <details open={open.length === 0}>
          <summary className="cursor-default text-sm text-muted">{resolved.length} resolved</summary>
          <div className="mt-2 flex flex-col gap-2">
            {resolved.map((comment) => (
              <CommentCard key={comment.id} comment={comment} />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}
