import { type CardAnswer, type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { client } from "../client.ts";
import { useConnection } from "./connection.ts";
import { recordEdit } from "./edit-history.ts";
import { attempt } from "./notify.ts";
import { useReplay } from "./replay-store.ts";

/** A recorded card is already answered, and without a host an answer goes nowhere. */
export function useCanAnswer(): boolean {
  const isPast = useReplay(({ view }) => view !== null);
  const isCut = useConnection(({ connection }) => connection.kind === "lost");
  return !isPast && !isCut;
}

/** Sends an answer bound to exactly what was shown; answers whether the host took it. */
export async function answer(item: InboxItem, decision: CardAnswer): Promise<boolean> {
  const isTaken = await attempt(`${kindOfCard(item).title} was not answered`, () =>
    client.inbox.answer({ run: item.run, id: item.id, nonce: item.nonce, shown: item.shown, decision }),
  );
  if (isTaken && item.kind === "mutation" && decision.kind === "approve")
    recordEdit(`the decision “${shownLine(item.title)}”`, { kind: "decision", title: shownLine(item.title) });
  if (isTaken && item.kind === "land" && decision.kind === "approve") {
    const bookmark = ("bookmark" in decision ? decision.bookmark : undefined) ?? item.suggested ?? "";
    recordEdit(`the landing on ${shownName(bookmark)}`, { kind: "landing", run: item.run });
  }
  return isTaken;
}
