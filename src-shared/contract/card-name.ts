import { type InboxItem, kindOfCard } from "./cards.ts";

const endLength = 4;

/**
 * The short name of a card in a terminal: its kind and the end of its id. It changes when the card's content
 * does, so that no answer is given to unseen content.
 */
export const cardName = (item: InboxItem): string =>
  `${kindOfCard(item).title.toLowerCase().replaceAll(" ", "-")}-${item.nonce.slice(-endLength)}`;
