import { createHash } from "node:crypto";
import {
  type AnswerTo,
  answerRefusal,
  type CardAnswer,
  type InboxItem,
  type InboxKind,
} from "#shared/contract/cards.ts";
import type { Journal } from "../journal/journal.ts";
import { EngineRefusal, Interrupted, StaleAnswer } from "./engine-errors.ts";
import type { Card, Inbox, Withdrawn } from "./ports.ts";

/** Hash of exactly what a card shows. */
export const shownHash = (card: Card): string =>
  createHash("sha256").update(JSON.stringify(card)).digest("hex").slice(0, 32);

export function createInbox(options: {
  readonly journal: Journal;
  readonly run: string;
  readonly now: () => number;
  readonly newId: () => string;
  readonly asked: (id: string) => void;
  readonly answered: (id: string) => void;
  readonly changed: () => void;
}): Inbox {
  const { journal, run } = options;
  const waiters = new Map<string, Set<(decision: CardAnswer) => void>>();
  const busy = new Set<string>();

  const itemOf = (id: string, card: Card): InboxItem => ({
    ...card,
    id,
    run,
    at: options.now(),
    nonce: options.newId(),
    shown: shownHash(card),
  });

  const release = (id: string, decision: CardAnswer) => {
    const waiting = waiters.get(id);
    waiters.delete(id);
    for (const take of waiting ?? []) take(decision);
  };

  const ask = async (
    id: string,
    card: () => Promise<Card> | Card,
    signal: AbortSignal,
  ): Promise<CardAnswer> => {
    let known = journal.inboxItem(id);
    if (!known) {
      const item = itemOf(id, await card());
      known = journal.inboxItem(id);
      if (!known) {
        journal.addInboxItem(item);
        options.asked(id);
        options.changed();
      }
    }
    if (known?.decision) {
      // The process may have ended between the answer and its event.
      options.answered(id);
      return known.decision;
    }
    if (signal.aborted) throw new Interrupted();
    return new Promise<CardAnswer>((resolve, reject) => {
      const waiting = waiters.get(id) ?? new Set();
      waiters.set(id, waiting);
      const leave = () => {
        waiting.delete(take);
        reject(new Interrupted());
      };
      const take = (decision: CardAnswer) => {
        signal.removeEventListener("abort", leave);
        resolve(decision);
      };
      waiting.add(take);
      signal.addEventListener("abort", leave, { once: true });
    });
  };

  return {
    items: () => journal.openInbox(run),
    isOpen: (id) => {
      const known = journal.inboxItem(id);
      return known !== null && known.decision === null;
    },
    ask: <Kind extends InboxKind>(
      id: string,
      card: () => Promise<Card> | Card,
      signal: AbortSignal,
      // Nothing else was let in for a card of this kind, neither by `answer` nor by `withdraw`.
    ) => ask(id, card, signal) as Promise<AnswerTo<Kind> | Withdrawn>,
    async answer({ id, nonce, shown, decision }, check) {
      const known = journal.inboxItem(id);
      if (!known || known.item.run !== run)
        throw new StaleAnswer(`There is no question ${id} in the run that is open.`);
      if (known.decision || busy.has(id)) throw new StaleAnswer("This question has been answered already.");
      if (known.item.nonce !== nonce || known.item.shown !== shown)
        throw new StaleAnswer("What this answer was given to is not what is being asked now.");
      const refusal = answerRefusal(known.item, decision);
      if (refusal) throw new EngineRefusal(refusal.message, refusal.remedy);
      busy.add(id);
      try {
        await check(known.item, decision);
        if (!journal.answerInboxItem(id, nonce, decision))
          throw new StaleAnswer("This question has been answered already.");
      } finally {
        busy.delete(id);
      }
      options.answered(id);
      options.changed();
      release(id, decision);
    },
    withdraw(withdrawn, reason) {
      for (const item of journal.openInbox(run)) {
        if (!withdrawn(item) || !journal.answerInboxItem(item.id, item.nonce, { kind: "reject", reason }))
          continue;
        options.answered(item.id);
        release(item.id, { kind: "reject", reason });
      }
      options.changed();
    },
    replace(id, card) {
      journal.replaceInboxItem(itemOf(id, card));
      options.changed();
    },
  };
}
