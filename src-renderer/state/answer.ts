import { type CardAnswer, type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import { client } from "../client.ts";
import { attempt } from "./notice-store.ts";

/** Sends an answer bound to exactly what was shown; answers whether the host took it. */
export const answer = (item: InboxItem, decision: CardAnswer): Promise<boolean> =>
  attempt(`${kindOfCard(item).title} was not answered`, () =>
    client.inbox.answer({ id: item.id, nonce: item.nonce, shown: item.shown, decision }),
  );
