/** Answers cards as they were answered in a recorded run. */
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { Engine } from "../../engine/engine-interface.ts";
import type { JournalCard } from "../../journal/recording-rows.ts";
import { type NamesOfNow, withoutNames } from "./names-of-now.ts";

export interface RecordedCards {
  /** Why a card waits for good; null: none does. */
  withoutAnswer(): string | null;
  stop(): void;
}

export function answersCards(
  engine: Engine,
  recorded: readonly JournalCard[],
  names: NamesOfNow,
): RecordedCards {
  const left = new Set(recorded.filter(({ decision }) => decision !== null));
  const seen = new Set<string>();
  let problem: string | null = null;
  const consider = (items: readonly InboxItem[]): void => {
    for (const item of items) {
      if (seen.has(item.nonce)) continue;
      seen.add(item.nonce);
      const card = cardLike(left, item);
      if (!card?.decision) {
        problem ??= `The recording has no answer to the card "${titleOf(item)}".`;
        continue;
      }
      left.delete(card);
      learnItem(names, card.item, item);
      engine
        .execute("inbox.answer", { ...item, decision: names.translate(card.decision) })
        .catch((error: unknown) => {
          problem ??= `The recorded answer to the card "${titleOf(item)}" was not taken: ${error instanceof Error ? error.message : String(error)}`;
        });
    }
  };
  const stop = engine.listen((event) => {
    if (event.kind === "inbox") setImmediate(() => consider(event.items));
  });
  setImmediate(() => consider(engine.state().inbox));
  return { withoutAnswer: () => problem, stop };
}

const titleOf = (item: InboxItem): string => {
  const kind = kindOfCard(item);
  return `${kind.title}: ${kind.headline(item)}`;
};

/** Of the same kind the one with the same words, else the next. */
function cardLike(left: Iterable<JournalCard>, item: InboxItem): JournalCard | undefined {
  const own = [...left].filter((card) => card.item.kind === item.kind);
  return own.find((card) => withoutNames(titleOf(card.item)) === withoutNames(titleOf(item))) ?? own[0];
}

const learnItem = (names: NamesOfNow, recorded: InboxItem, now: InboxItem): void =>
  names.learn(JSON.stringify(recorded, null, 1), JSON.stringify(now, null, 1));
