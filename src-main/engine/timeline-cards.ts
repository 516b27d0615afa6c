/** The cards of a run as its timeline draws them. */
import { askerOf, kindOfCard } from "#shared/contract/cards.ts";
import type { CardOnTimeline } from "#shared/run/live.ts";
import type { JournalCard } from "../journal/run-rows.ts";

/** By id. */
export const timelineCards = (cards: readonly JournalCard[]): Readonly<Record<string, CardOnTimeline>> =>
  Object.fromEntries(cards.map((card) => [card.item.id, onTimeline(card)]));

function onTimeline({ item, answeredAt, decision }: JournalCard): CardOnTimeline {
  const { askerWaits = "at-once", isInert } = kindOfCard(item);
  return {
    awaited: isInert === true ? null : { worker: askerOf(item), at: item.at, answeredAt, waits: askerWaits },
    asked:
      item.kind === "align-request"
        ? {
            id: item.id,
            from: item.from,
            text: item.question,
            at: item.at,
            answeredAt,
            answer: decision?.kind === "answer" ? decision.text : null,
          }
        : null,
    proposed:
      item.kind === "mutation"
        ? {
            card: item.id,
            orchestrator: item.from,
            title: item.title,
            at: item.at,
            answeredAt,
            isApproved: decision?.kind === "approve",
            binds: item.binds,
            conflicts: item.conflicts.map(({ worker }) => worker),
          }
        : null,
  };
}
