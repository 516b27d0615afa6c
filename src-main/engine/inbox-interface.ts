/** Questions for the user, as seen by the code that asks. */
import type { CardBase } from "#shared/contract/cards/card.ts";
import type { AnswerTo, CardAnswer, InboxItem, InboxKind } from "#shared/contract/cards.ts";

type WithoutBase<Item> = Item extends InboxItem ? Omit<Item, keyof CardBase> : never;

/** What a card shows, without the fields that the inbox itself adds. */
export type Card = WithoutBase<InboxItem>;
type CardOf<Kind extends InboxKind> = Card & { readonly kind: Kind };

/** The result for the caller if the question was withdrawn. */
export interface Withdrawn {
  readonly kind: "reject";
  readonly reason: string;
}

export interface Inbox {
  /**
   * Shows a card to the user and waits for the answer. The id is the caller's and stable across restarts: an
   * open card is shown again unchanged, an answered one returns its answer at once.
   * @throws Interrupted if the signal aborts, or the run ends
   */
  ask<Kind extends InboxKind>(
    id: string,
    card: () => Promise<CardOf<Kind>> | CardOf<Kind>,
    signal?: AbortSignal,
  ): Promise<AnswerTo<Kind> | Withdrawn>;
  /** A question that was asked under this id and waits. */
  isOpen(id: string): boolean;
  items(): readonly InboxItem[];
  /** Checks and records an answer; `check` may refuse it before it counts. */
  answer(
    answer: { id: string; nonce: string; shown: string; decision: CardAnswer },
    check: (item: InboxItem, decision: CardAnswer) => Promise<void>,
  ): Promise<void>;
  /** Withdraws questions that need no answer any more; their callers get a rejection. */
  withdraw(withdrawn: (item: InboxItem) => boolean, reason: string): void;
  /** Shows something else under the same id: earlier nonces and hashes become stale. */
  replace(id: string, card: Card): void;
}
