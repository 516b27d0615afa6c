/** What lies over the lanes: decisions, work that would collide, and cards that wait for an answer. */
import type { Node, NodeProps } from "@xyflow/react";
import { memo, useState } from "react";
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { narrowBubble } from "#shared/graph/run-canvas/annotations.ts";
import type { DecisionBar, RadarBracket, WaitingBubble } from "#shared/graph/run-canvas/run-canvas.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { answer } from "../../state/answer.ts";
import { goToCard, goToRow } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { DecisionConflict } from "./decision-conflict.tsx";

export type DecisionFlowNode = Node<{ readonly bar: DecisionBar; readonly room: number }, "decision">;
export type BracketFlowNode = Node<{ readonly bracket: RadarBracket; readonly room: number }, "bracket">;
export type BubbleFlowNode = Node<{ readonly bubble: WaitingBubble }, "bubble">;

/** A bar from the spine through all lanes that it binds; hatched while it waits for a yes. */
export const DecisionNode = memo(function DecisionNode({ data }: NodeProps<DecisionFlowNode>) {
  const { bar, room } = data;
  const waits = bar.decision.state === "waits";
  const words = `Decision${waits ? " that waits for you" : ""}: ${shownLine(bar.decision.title)}`;
  const open = (): void => {
    if (waits && bar.decision.card !== null) goToCard(bar.decision.card);
    else goToRow(bar.decision.id);
  };
  const isLeft = room < 180;
  const [wasWaiting] = useState(waits);
  return (
    <div className="pointer-events-none relative h-full w-0">
      <div
        // Another element, so that what was agreed to just now sweeps down.
        key={bar.decision.state}
        className={cx(
          "decision-bar absolute -left-[2px] h-full w-[4px] rounded-full",
          waits && "is-waiting",
          wasWaiting && !waits && "is-new",
        )}
      />
      <button
        type="button"
        tabIndex={-1}
        data-decision={bar.decision.id}
        aria-label={words}
        title={words}
        onClick={open}
        className="pointer-events-auto absolute -top-[8px] -left-[8px] size-4 rotate-45 rounded-[3px] bg-progress"
      />
      <span
        className={cx(
          "absolute -top-[32px] max-w-[230px] truncate rounded-sm bg-warning-soft px-1.5 text-xs font-medium text-warning",
          isLeft ? "right-0" : "left-0",
        )}
      >
        {shownLine(bar.decision.title)}
      </span>
      {bar.conflicts.map(({ row, worker, y }) => (
        <DecisionConflict key={row} waits={waits} worker={worker} top={y - bar.top} isLeft={isLeft} />
      ))}
    </div>
  );
});

/** Two lanes whose work would collide as it stands. */
export const BracketNode = memo(function BracketNode({ data }: NodeProps<BracketFlowNode>) {
  const { bracket, room } = data;
  const files = bracket.files.map(shownName).join(", ");
  const words = `${bracket.a} and ${bracket.b} would collide in ${files}`;
  return (
    <div className="pointer-events-none relative h-full w-2" role="img" aria-label={words} title={words}>
      <div className="absolute inset-0 rounded-r-[3px] border-2 border-l-0 border-dotted border-warning" />
      {bracket.wordsY !== null && (
        <div
          className="absolute left-3 w-max -translate-y-1/2 rounded-sm bg-surface/90 px-1 text-xs leading-tight"
          style={{ top: bracket.wordsY - bracket.top, maxWidth: Math.max(80, Math.min(240, room - 24)) }}
        >
          <b className="block font-medium text-warning">would collide</b>
          <span className="line-clamp-2 break-words text-warning">{files}</span>
        </div>
      )}
    </div>
  );
});

/** A card that waits, where its work stands: answered in place where a key or two are enough. */
export const BubbleNode = memo(function BubbleNode({ data }: NodeProps<BubbleFlowNode>) {
  const { bubble } = data;
  const item = useHost((state) => state.inbox.find(({ id }) => id === bubble.card) ?? null);
  if (!item) return null;
  const kind = kindOfCard(item);
  return (
    <div
      data-bubble={bubble.row ?? ""}
      className={cx(
        "absolute top-0 left-0 flex -translate-y-1/2 gap-x-2 gap-y-1 rounded-lg border border-warning bg-warning-soft px-2 py-1 shadow-pop",
        bubble.width < narrowBubble ? "flex-col" : "items-center",
      )}
      style={{ width: bubble.width }}
    >
      <button
        type="button"
        tabIndex={-1}
        data-decision-key="o"
        aria-label={`${kind.title}: ${shownLine(kind.headline(item))}. Open it in the inbox`}
        title={shownLine(kind.headline(item))}
        onClick={() => goToCard(item.id)}
        className="min-w-0 flex-1 rounded-sm text-left"
      >
        <span className="line-clamp-2 text-xs font-medium text-warning">
          {shownLine(kind.headline(item))}
        </span>
      </button>
      <span className="flex shrink-0 gap-1">
        <Answers item={item} />
      </span>
    </div>
  );
});

/** At most two words each: more is read in the inbox. */
function Answers({ item }: { readonly item: InboxItem }) {
  if (item.kind === "align-request")
    return item.options.slice(0, 3).map((option, index) => (
      <Button
        key={option}
        data-decision-key={index + 1}
        title={shownLine(option)}
        onClick={() => void answer(item, { kind: "answer", text: option })}
        className="h-6 max-w-[72px] shrink-0 px-1.5 text-xs"
      >
        <kbd className="text-faint" aria-hidden>
          {index + 1}
        </kbd>
        <span className="truncate">{shownLine(option)}</span>
      </Button>
    ));
  if (item.kind === "mutation")
    return (
      <Button
        data-decision-key="a"
        onClick={() => void answer(item, { kind: "approve" })}
        className="h-6 shrink-0 px-1.5 text-xs"
      >
        <kbd className="text-faint" aria-hidden>
          A
        </kbd>
        Approve
      </Button>
    );
  return (
    <Button onClick={() => goToCard(item.id)} className="h-6 shrink-0 px-1.5 text-xs">
      Open
    </Button>
  );
}
