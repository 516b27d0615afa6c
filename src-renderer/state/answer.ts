import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import { client } from "../client.ts";
import { attempt } from "./notice-store.ts";

/** What each kind of card is called, in the list and when an answer fails. */
export const cardTitles: Readonly<Record<InboxItem["kind"], string>> = {
  plan: "Plan",
  depth: "More levels",
  amendment: "More tasks",
  "align-request": "Question",
  mutation: "Decision",
  budget: "Budget",
  votes: "Votes",
  fold: "Finished work",
  pattern: "Learned pattern",
  land: "Result",
  protected: "Protected files",
  dependency: "Dependency",
  "first-look": "First look",
  sandbox: "Sandbox",
  trouble: "Trouble",
};

/** Sends a decision bound to exactly what was shown; answers whether the host took it. */
export const answer = (item: InboxItem, decision: CardAnswer): Promise<boolean> =>
  attempt(`${cardTitles[item.kind]} was not answered`, () =>
    client.inbox.answer({ id: item.id, nonce: item.nonce, shown: item.shown, decision }),
  );
