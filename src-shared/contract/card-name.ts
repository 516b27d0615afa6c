import { type InboxItem, kindOfCard } from "./cards.ts";

const endLength = 4;

/**
 * What a card is called at a terminal, short enough to be typed: what it is, and the end of what makes it this one. It is
 * called otherwise once it shows something else, so that no answer is given to what nobody has looked at.
 */
export const cardName = (item: InboxItem): string =>
  `${kindOfCard(item).title.toLowerCase().replaceAll(" ", "-")}-${item.nonce.slice(-endLength)}`;
