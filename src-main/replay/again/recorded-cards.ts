/** Answers cards as they were answered in a recorded run. */
import { type CardAnswer, type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { Engine } from "../../engine/engine-interface.ts";
import type { JournalCard } from "../../journal/recording-rows.ts";
import { type NamesOfNow, withoutNames } from "./names-of-now.ts";
import type { RecordedOrder } from "./recorded-order.ts";

/** The place of an answer in the order of a recording. */
export const cardId = (place: number): string => `card ${place}`;

export interface RecordedCards {
  /** Why a card waits for good; null: none does. */
  withoutAnswer(): string | null;
  /** Cards that wait now and that nobody answered then either, in words. */
  unanswered(): readonly string[];
  stop(): void;
}

export function answersCards(
  engine: Engine,
  recorded: readonly JournalCard[],
  names: NamesOfNow,
  order: Pick<RecordedOrder, "turnOf" | "passed">,
): RecordedCards {
  const places = new Map(recorded.map((card, place) => [card, place]));
  const left = new Set(recorded.filter(({ decision }) => decision !== null));
  const seen = new Set<string>();
  const unanswered = new Set<string>();
  let problem: string | null = null;
  const consider = (items: readonly InboxItem[]): void => {
    for (const item of items) {
      if (seen.has(item.nonce)) continue;
      seen.add(item.nonce);
      const card = cardLike(left, item);
      if (!card?.decision) {
        if (hasWords(recorded, item)) unanswered.add(item.nonce);
        else problem ??= `The recording has no answer to the card "${titleOf(item)}".`;
        continue;
      }
      left.delete(card);
      learnItem(names, card.item, item);
      answer(card, card.decision, item).catch((error: unknown) => {
        problem ??= `The recorded answer to the card "${titleOf(item)}" was not taken: ${error instanceof Error ? error.message : String(error)}`;
      });
    }
  };
  const answer = async (card: JournalCard, decision: CardAnswer, item: InboxItem): Promise<void> => {
    const id = cardId(places.get(card) ?? 0);
    await order.turnOf(id);
    // Another one stands in its place by now.
    if (!engine.state().inbox.some(({ nonce }) => nonce === item.nonce)) return void left.add(card);
    await engine.execute("inbox.answer", { ...item, decision: names.translate(decision) });
    order.passed(id);
  };
  const stop = engine.listen((event) => {
    if (event.kind === "inbox") setImmediate(() => consider(event.items));
  });
  setImmediate(() => consider(engine.state().inbox));
  return {
    withoutAnswer: () => problem,
    unanswered: () =>
      engine.state().inbox.flatMap((item) => (unanswered.has(item.nonce) ? [titleOf(item)] : [])),
    stop,
  };
}

const titleOf = (item: InboxItem): string => {
  const kind = kindOfCard(item);
  return `${kind.title}: ${kind.headline(item)}`;
};

/** Of the same kind the one with the same words, else the next. */
function cardLike(left: Iterable<JournalCard>, item: InboxItem): JournalCard | undefined {
  const own = [...left].filter((card) => card.item.kind === item.kind);
  return own.find((card) => isSameCard(card, item)) ?? own[0];
}

const isSameCard = (card: JournalCard, item: InboxItem): boolean =>
  card.item.kind === item.kind && withoutNames(titleOf(card.item)) === withoutNames(titleOf(item));

const hasWords = (recorded: readonly JournalCard[], item: InboxItem): boolean =>
  recorded.some((card) => isSameCard(card, item));

const learnItem = (names: NamesOfNow, recorded: InboxItem, now: InboxItem): void =>
  names.learn(JSON.stringify(recorded, null, 1), JSON.stringify(now, null, 1));
