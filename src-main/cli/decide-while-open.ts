import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import type { HostState } from "../api/host-state.ts";
import { decideAtTerminal } from "./decide.ts";

/** What a person types to a card; null: it was answered elsewhere meanwhile, or taken back. */
export async function decideWhileOpen(
  state: HostState,
  item: InboxItem,
  stop: AbortSignal,
): Promise<CardAnswer | null> {
  const over = new AbortController();
  const gone = new AbortController();
  const watching = untilGone(state, item, over.signal).then((isGone) => {
    if (isGone) gone.abort();
  });
  try {
    return await decideAtTerminal(item, AbortSignal.any([stop, gone.signal]));
  } catch (error) {
    if (gone.signal.aborted && !stop.aborted) return null;
    throw error;
  } finally {
    over.abort();
    await watching;
  }
}

/** Resolves with true as soon as a card is not asked any more, and with false once nobody wants to know. */
async function untilGone(state: HostState, { nonce }: InboxItem, over: AbortSignal): Promise<boolean> {
  const isOpen = (): boolean =>
    state
      .engine()
      .state()
      .inbox.some((one) => one.nonce === nonce);
  const news = state.log.read(state.log.last, over);
  // It may have gone before anybody listened.
  if (!isOpen()) return true;
  for await (const { event } of news)
    if ((event.kind === "inbox" || event.kind === "snapshot") && !isOpen()) return true;
  return false;
}
