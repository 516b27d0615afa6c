import type { ItemOf } from "#shared/contract/cards.ts";
import type { Run } from "../ports.ts";

/**
 * Withdraws cards of verdicts on work that was edited while Hox was closed, before the user sees them. The
 * run judges it again.
 *
 * @param hasMoved null: the card is about something else. May throw: the caller checks again and fails loudly
 */
export async function withdrawVoid(
  run: Run,
  hasMoved: (item: ItemOf<"votes">) => Promise<boolean> | null,
  reason: string,
): Promise<void> {
  for (const item of run.inbox.items()) {
    if (item.kind !== "votes") continue;
    const isVoid = await (hasMoved(item) ?? Promise.resolve(false)).catch(() => false);
    if (isVoid) run.inbox.withdraw(({ id }) => id === item.id, reason);
  }
}
