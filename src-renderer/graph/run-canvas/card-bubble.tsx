/** A card that waits, where its work stands: answered in place where a key or two are enough. */

import { decisionKeys } from "#shared/contract/cards/answer-options.ts";
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { narrowBubble } from "#shared/graph/run-canvas/annotations.ts";
import type { WaitingBubble } from "#shared/graph/run-canvas/run-canvas.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { focusSoon } from "../../kit/focus-soon.ts";
import { answer } from "../../state/answer.ts";
import { goToCard } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { useReplay } from "../../state/replay-store.ts";
import { longOptions } from "./long-options.ts";

interface CardBubbleProps {
  readonly bubble: WaitingBubble;
}

export function CardBubble({ bubble }: CardBubbleProps) {
  const item = useHost((state) => state.inbox.find(({ id }) => id === bubble.card) ?? null);
  const isPast = useReplay(({ view }) => view !== null);
  if (!item) return null;
  const kind = kindOfCard(item);
  const headline = shownLine(kind.headline(item));
  return (
    <div
      data-bubble={bubble.row ?? ""}
      data-keep-clear
      className={cx(
        "absolute top-0 left-0 flex -translate-y-1/2 gap-x-2 gap-y-1 rounded-lg border border-warning bg-warning-soft px-2 py-1 shadow-pop",
        bubble.width < narrowBubble ? "flex-col" : "items-center",
      )}
      style={{ width: bubble.width }}
    >
      <Pointer bubble={bubble} />
      <button
        type="button"
        tabIndex={-1}
        data-decision-key="o"
        aria-label={`${kind.title}: ${headline}${bubble.more > 0 ? ` and ${bubble.more} more` : ""}. Open it in the inbox`}
        title={headline}
        onClick={() => goToCard(item.id)}
        className="min-w-0 flex-1 rounded-sm text-left"
      >
        <span className="line-clamp-2 text-xs font-medium text-warning">{headline}</span>
        {bubble.more > 0 && <span className="block text-xs text-muted">and {bubble.more} more</span>}
      </button>
      <span className="flex shrink-0 gap-1" style={{ maxWidth: answersRoom(bubble.width) }}>
        <Answers item={item} isPast={isPast} room={answersRoom(bubble.width)} />
      </span>
    </div>
  );
}

/** From where it stands to where it belongs. */
function Pointer({ bubble: { y, points } }: CardBubbleProps) {
  return (
    <svg aria-hidden className="pointer-events-none absolute top-1/2 left-0 size-px overflow-visible">
      <path
        d={`M 0 0 C -8 0, -5 ${points - y}, -13 ${points - y}`}
        fill="none"
        stroke="var(--warning)"
        strokeWidth={1.25}
      />
    </svg>
  );
}

interface AnswersProps {
  readonly item: InboxItem;
  /** A moment of the past is shown, in which nothing can be answered. */
  readonly isPast: boolean;
  /** px for all answers beside each other. */
  readonly room: number;
}

const small = "h-6 px-1.5 text-xs";

/** px of a bubble that its answers may take: all of a narrow one, where the question stands above them. */
const answersRoom = (width: number): number => (width < narrowBubble ? width - 18 : width * 0.6);

/** What has no room is read in the inbox. */
function Answers({ item, isPast, room }: AnswersProps) {
  if (item.kind === "align-request" && item.options.length > 0) {
    const options = item.options.slice(0, 3);
    const isLong = longOptions(options.map(shownLine), room);
    return options.map((option, index) => (
      <Button
        key={option}
        data-decision-key={index + 1}
        title={shownLine(option)}
        disabled={isPast}
        onClick={() => void answer(item, { kind: "answer", text: option })}
        className={small}
        style={isLong[index] ? { flexShrink: 1, minWidth: 0 } : undefined}
      >
        <Key of={String(index + 1)} />
        <span className="min-w-0 truncate">{shownLine(option)}</span>
      </Button>
    ));
  }
  if (item.kind === "mutation")
    return (
      <>
        <Button
          data-decision-key={decisionKeys.approve}
          disabled={isPast}
          onClick={() => void answer(item, { kind: "approve" })}
          className={small}
        >
          <Key of="A" />
          Approve
        </Button>
        <Button
          look="ghost"
          data-decision-key={decisionKeys.reject}
          disabled={isPast}
          title="Say why not, in the inbox"
          onClick={() => refuse(item.id)}
          className={small}
        >
          <Key of="R" />
          Reject…
        </Button>
      </>
    );
  return (
    <Button data-decision-key="o" onClick={() => goToCard(item.id)} className={small}>
      <Key of="O" />
      Open
    </Button>
  );
}

const Key = ({ of }: { readonly of: string }) => (
  <kbd className="text-faint" aria-hidden>
    {of}
  </kbd>
);

/** A no has a reason: it is written on the card. */
function refuse(card: string): void {
  goToCard(card);
  focusSoon(() =>
    document.querySelector<HTMLElement>(
      `section[aria-label="Inbox"] [data-decision-key="${decisionKeys.reject}"]:not(:disabled)`,
    ),
  );
}
