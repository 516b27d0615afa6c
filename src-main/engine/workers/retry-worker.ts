import { closeConversation } from "../kernel/close-conversation.ts";
import type { Run } from "../ports.ts";
import { unblockByPerson } from "./blocked-workers.ts";

/**
 * Answers the worker's card with "again"; the failed conversation is not resumed. A blocked one no longer
 * waits for its parent. False if it was not blocked.
 */
export async function retryWorker(run: Run, worker: string): Promise<boolean> {
  const cards = run.inbox.items().filter((item) => item.kind === "trouble" && item.worker === worker);
  for (const card of cards) {
    closeConversation(run, worker);
    await run.inbox.answer({ ...card, decision: { kind: "retry" } }, async () => undefined);
  }
  return unblockByPerson(run, worker) || cards.length > 0;
}
