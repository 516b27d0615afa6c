/** A waiting card at the work it is about: answered in place where a key or two are enough. */

import { decisionKeys } from "#shared/contract/cards/card.ts";
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { WaitingBubble } from "#shared/graph/run-canvas/run-canvas.ts";
import { Button } from "../../kit/button.tsx";
import { focusSoon } from "../../kit/focus-soon.ts";
import { answer, useCanAnswer } from "../../state/answer.ts";
import { goToCard } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { useRefusal } from "../../state/role.ts";
import { bubbleAnswers } from "./bubble-answers.ts";

interface CardBubbleProps {
  readonly bubble: WaitingBubble;
}

export function CardBubble({ bubble }: CardBubbleProps) {
  const item = useHost((state) => state.inbox.find(({ id }) => id === bubble.card) ?? null);
  const canAnswer = useCanAnswer();
  if (!item) return null;
  const kind = kindOfCard(item);
  const headline = shownLine(kind.headline(item));
  return (
    <div
      data-bubble={bubble.row ?? ""}
      className="canvas-move absolute z-30 flex -translate-y-1/2 flex-col justify-center gap-1 rounded-lg border border-warning bg-warning-soft px-2 shadow-pop"
      style={{ left: bubble.x, top: bubble.y, width: bubble.width, height: bubble.height }}
    >
      <Pointer bubble={bubble} />
      <button
        type="button"
        tabIndex={-1}
        data-decision-key="o"
        aria-label={`${kind.title}: ${headline}. Open it in the inbox`}
        title={headline}
        onClick={() => goToCard(item.id)}
        className="min-w-0 rounded-sm text-left"
      >
        <span className="line-clamp-2 text-xs font-medium text-warning">{headline}</span>
      </button>
      <span className="flex flex-wrap gap-1">
        <Answers item={item} canAnswer={canAnswer} />
      </span>
      {bubble.more > 0 && (
        // Beside the answers: they stay where they are when another card comes.
        <span
          title={`${bubble.more} more ${bubble.more === 1 ? "card waits" : "cards wait"} here`}
          className="absolute -top-2 right-2 rounded-full border border-warning bg-surface px-1.5 text-xs leading-4 text-warning"
        >
          +{bubble.more}
          <span className="sr-only"> more</span>
        </span>
      )}
    </div>
  );
}

/** From the bubble to the work it is about. */
function Pointer({ bubble: { x, y, points, from } }: CardBubbleProps) {
  return (
    <svg aria-hidden className="pointer-events-none absolute top-1/2 left-0 size-px overflow-visible">
      <path
        d={`M 0 0 C -8 0, -5 ${points - y}, -13 ${points - y} H ${Math.min(-13, from - x)}`}
        fill="none"
        stroke="var(--warning)"
        strokeWidth={1.25}
      />
    </svg>
  );
}

interface AnswersProps {
  readonly item: InboxItem;
  readonly canAnswer: boolean;
}

function Answers({ item, canAnswer }: AnswersProps) {
  const refusal = useRefusal("inbox.answer");
  return bubbleAnswers(item).map(({ key, label, does }) => (
    <Button
      key={key}
      data-decision-key={key}
      title={refusal ?? (does.kind === "reject" ? "Give a reason in the inbox" : label)}
      look={does.kind === "reject" ? "ghost" : "secondary"}
      disabled={(!canAnswer || refusal !== null) && does.kind !== "open"}
      onClick={() => {
        if (does.kind === "open") goToCard(item.id);
        else if (does.kind === "reject") refuse(item.id);
        else void answer(item, does);
      }}
      size="sm"
      // As high as its words: an answer that is cut cannot be chosen.
      style={{ height: "auto", minHeight: 24, maxWidth: "100%", flexShrink: 1, whiteSpace: "normal" }}
      className="text-left"
    >
      <Key of={key.toUpperCase()} />
      <span className="line-clamp-2 min-w-0 text-xs break-words">{label}</span>
    </Button>
  ));
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
