/** Capabilities' checks of answers, in addition to the card's own (`contract/cards.ts`). */
import type { AnswerTo, CardAnswer, InboxItem, InboxKind, ItemOf } from "#shared/contract/cards.ts";

interface CardCheck<Context, Item, Answer> {
  /** Called before an answer counts; throws what is wrong. */
  check(context: Context, item: Item, answer: Answer): Promise<void> | void;
}

/** By kind of card; a kind without a row has nothing that only the run can say. */
export type CardChecks<Context> = {
  readonly [Kind in InboxKind]?: CardCheck<Context, ItemOf<Kind>, AnswerTo<Kind>>["check"];
};

/** @returns what the inbox asks before it takes an answer: all that have something to say of its kind */
export const checkedBy =
  <Context>(all: readonly CardChecks<Context>[], context: Context) =>
  async (item: InboxItem, answer: CardAnswer): Promise<void> => {
    for (const checks of all) {
      const check: CardCheck<Context, InboxItem, CardAnswer>["check"] | undefined = checks[item.kind];
      await check?.(context, item, answer);
    }
  };
