/** What capabilities have against answers, beside what a card itself says (`contract/cards.ts`). */
import type { AnswerTo, CardAnswer, InboxItem, InboxKind, ItemOf } from "#shared/contract/cards.ts";
import type { Run } from "../ports.ts";

interface CardCheck<Item, Answer> {
  /** Called before an answer counts; throws what is wrong. */
  check(run: Run, item: Item, answer: Answer): Promise<void> | void;
}

/** By kind of card; a kind without a row has nothing that only the run can say. */
export type CardChecks = {
  readonly [Kind in InboxKind]?: CardCheck<ItemOf<Kind>, AnswerTo<Kind>>["check"];
};

/** @returns what the inbox asks before it takes an answer */
export const checkedBy =
  (checks: CardChecks, run: Run) =>
  async (item: InboxItem, answer: CardAnswer): Promise<void> => {
    const check: CardCheck<InboxItem, CardAnswer>["check"] | undefined = checks[item.kind];
    await check?.(run, item, answer);
  };
