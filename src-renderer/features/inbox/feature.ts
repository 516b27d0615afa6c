import { keysOfCards } from "#shared/contract/cards/card.ts";
import type { KeyRow, KeyTable } from "../../kit/key-table.ts";
import type { Feature } from "../../registry/feature.ts";

interface InboxPlace {
  /** Null: one card is open large, and keys lead to no other. */
  readonly move: ((by: -1 | 1) => void) | null;
  readonly card: Element | null;
}

/** Presses the button of this card that shows the key. */
function decide({ card }: InboxPlace, { key }: { readonly key: string }): boolean {
  const button = card?.querySelector<HTMLButtonElement>(
    `button[data-decision-key="${CSS.escape(key)}"]:not(:disabled)`,
  );
  button?.click();
  return button != null;
}

const walk =
  (by: -1 | 1) =>
  ({ move }: InboxPlace): boolean => {
    move?.(by);
    return move !== null;
  };

const others = ["2", "3", "4", "5", "6", "7", "8", "9"];

/** The keys of the inbox: from card to card, and what a card shows beside its buttons. */
export const inboxKeys: KeyTable<InboxPlace> = {
  place: "In the inbox",
  rows: [
    { keys: "ArrowUp", also: ["k"], what: "the card above", run: walk(-1) },
    { keys: "ArrowDown", also: ["j"], what: "the card below", run: walk(1) },
    ...keysOfCards().map(
      ([keys, what]): KeyRow<InboxPlace> => ({
        keys,
        what,
        run: decide,
        ...(keys === "1" ? { also: others, to: "9" } : {}),
      }),
    ),
  ],
};

/** What waits for a user. */
export const inbox: Feature = { keys: [inboxKeys] };
