import { createHash } from "node:crypto";
import { repeatOf } from "#shared/contract/cards/repeated-answer.ts";
import {
  type AnswerTo,
  answerRefusal,
  byWhatWaits,
  type CardAnswer,
  type InboxItem,
  type InboxKind,
  kindOfCard,
} from "#shared/contract/cards.ts";
import type { Journal } from "../journal/journal.ts";
import { EngineRefusal, Interrupted, StaleAnswer } from "./engine-errors.ts";
import type { Card, Inbox, Withdrawn } from "./ports.ts";

/** Hash of exactly what a card shows. */
const shownHash = (card: Card): string =>
  createHash("sha256").update(JSON.stringify(card)).digest("hex").slice(0, 32);

/** Those who wait for the answer to a card, as long as this process lives. */
function createAnswerWaiters() {
  const waiters = new Map<string, Set<(decision: CardAnswer) => void>>();
  return {
    /** @throws Interrupted once the signal aborts */
    async answerTo(id: string, signal: AbortSignal): Promise<CardAnswer> {
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
    },
    release(id: string, decision: CardAnswer): void {
      const waiting = waiters.get(id);
      waiters.delete(id);
      for (const take of waiting ?? []) take(decision);
    },
  };
}

/** An answer counts for what was shown, and where it is one of those that the card asks for. */
function refuseUnfit(
  item: InboxItem,
  {
    nonce,
    shown,
    decision,
  }: { readonly nonce: string; readonly shown: string; readonly decision: CardAnswer },
): void {
  if (item.nonce !== nonce || item.shown !== shown)
    throw new StaleAnswer("The question has changed since you answered.");
  const refusal = answerRefusal(item, decision);
  if (refusal) throw new EngineRefusal(refusal.message, refusal.remedy);
}

interface InboxOptions {
  readonly journal: Journal;
  readonly run: string;
  readonly now: () => number;
  readonly newId: () => string;
  /** Aborts when the run ends. */
  readonly ended: AbortSignal;
  readonly asked: (id: string) => void;
  readonly answered: (id: string) => void;
  readonly changed: () => void;
}

const itemOf = ({ journal, run, now, newId }: InboxOptions, id: string, card: Card): InboxItem => ({
  ...card,
  id,
  run,
  at: now(),
  nonce: newId(),
  shown: shownHash(card),
  ...repeatOf(journal.answeredInbox(run, card.kind), card),
});

/** A card that was asked in the meantime is kept. */
function putCard(options: InboxOptions, id: string, card: Card): void {
  const { journal, asked, changed } = options;
  const item = itemOf(options, id, card);
  if (journal.inboxItem(id)) return;
  journal.addInboxItem(item);
  if (!kindOfCard(item).isInert) asked(id);
  changed();
}

const alreadyAnswered = (): StaleAnswer => new StaleAnswer("This question has already been answered.");

/** @throws StaleAnswer if the card needs no answer any more */
function openItem({ journal, run }: InboxOptions, id: string): InboxItem {
  const known = journal.inboxItem(id);
  if (!known || known.item.run !== run) throw new StaleAnswer(`No question ${id} in the open run.`);
  if (known.decision) throw alreadyAnswered();
  return known.item;
}

export function createInbox(options: InboxOptions): Inbox {
  const { journal, run } = options;
  const waiters = createAnswerWaiters();
  const busy = new Set<string>();

  const ask = async (
    id: string,
    card: () => Promise<Card> | Card,
    signal: AbortSignal | undefined,
  ): Promise<CardAnswer> => {
    if (!journal.inboxItem(id)) putCard(options, id, await card());
    // No await from here on: the waiting caller must not change.
    const known = journal.inboxItem(id);
    if (known?.decision) {
      // The process may have ended between the answer and its event.
      options.answered(id);
      return known.decision;
    }
    return waiters.answerTo(id, signal ? AbortSignal.any([options.ended, signal]) : options.ended);
  };

  return {
    items: () => byWhatWaits(journal.openInbox(run)),
    isOpen: (id) => {
      const known = journal.inboxItem(id);
      return known !== null && known.decision === null;
    },
    ask: <Kind extends InboxKind>(
      id: string,
      card: () => Promise<Card> | Card,
      signal?: AbortSignal,
      // Nothing else was let in for a card of this kind, neither by `answer` nor by `withdraw`.
    ) => ask(id, card, signal) as Promise<AnswerTo<Kind> | Withdrawn>,
    async answer({ id, nonce, shown, decision }, check, by) {
      const item = openItem(options, id);
      if (busy.has(id)) throw alreadyAnswered();
      refuseUnfit(item, { nonce, shown, decision });
      busy.add(id);
      try {
        await check(item, decision);
        if (!journal.answerInboxItem(id, nonce, decision, by)) throw alreadyAnswered();
      } finally {
        busy.delete(id);
      }
      options.answered(id);
      options.changed();
      waiters.release(id, decision);
    },
    withdraw(withdrawn, reason) {
      for (const item of journal.openInbox(run)) {
        if (!withdrawn(item) || !journal.answerInboxItem(item.id, item.nonce, { kind: "reject", reason }))
          continue;
        options.answered(item.id);
        waiters.release(item.id, { kind: "reject", reason });
      }
      options.changed();
    },
    replace(id, card) {
      journal.replaceInboxItem(itemOf(options, id, card));
      options.changed();
    },
  };
}
