import { useState } from "react";
import type { InboxItem } from "#shared/contract/cards.ts";

const mostKept = 100;

/** What was typed into cards and not sent. A card unmounts when another tab or its large form is shown. */
const kept = new Map<string, unknown>();

/**
 * State of one field of a card that outlives the card's place on screen. It belongs to what was shown: a card that the
 * host has replaced (another nonce) begins anew.
 */
export function useDraft<Value>(
  item: Pick<InboxItem, "id" | "nonce">,
  field: string,
  initial: Value,
): readonly [Value, (value: Value) => void] {
  const key = `${item.id}\n${item.nonce}\n${field}`;
  const [drawn, draw] = useState<{ readonly key: string; readonly value: Value }>();
  const value = drawn?.key === key ? drawn.value : kept.has(key) ? (kept.get(key) as Value) : initial;
  const set = (next: Value): void => {
    kept.delete(key);
    kept.set(key, next);
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    draw({ key, value: next });
  };
  return [value, set];
}
