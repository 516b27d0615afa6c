import type { InboxItem } from "#shared/contract/cards.ts";
import { useDraft } from "../../state/drafts.ts";

/**
 * State of one field of a card that outlives the card's place on screen: a card unmounts when another tab or its large form
 * is shown. It belongs to what was shown: a card that the host has replaced (another nonce) starts empty.
 */
export const useCardDraft = <Value>(
  { id, nonce }: Pick<InboxItem, "id" | "nonce">,
  field: string,
  initial: Value,
): ReturnType<typeof useDraft<Value>> => useDraft(`card ${id}\n${nonce}\n${field}`, initial);
