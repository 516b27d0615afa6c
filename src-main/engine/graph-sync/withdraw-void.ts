import type { ItemOf } from "#shared/contract/cards.ts";
import type { Run } from "../ports.ts";

/**
 * Takes back the cards of verdicts on what was edited while no host was there, before anybody is shown them. The course
 * judges it anew.
 *
 * @param hasMoved null: the card is about something else. May throw: whoever asks looks once more, and that fails aloud
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
