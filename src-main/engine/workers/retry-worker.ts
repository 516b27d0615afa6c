import { closeConversation } from "../kernel/close-conversation.ts";
import type { Run } from "../ports.ts";
import { unblockByPerson } from "./blocked-workers.ts";

/**
 * Answers the worker's trouble card with "again"; the conversation that failed is not gone on with. One that waits for
 * its parent's help waits no more. False when nothing kept it.
 */
export async function retryWorker(run: Run, worker: string): Promise<boolean> {
  const cards = run.inbox.items().filter((item) => item.kind === "trouble" && item.worker === worker);
  for (const card of cards) {
    closeConversation(run, worker);
    await run.inbox.answer({ ...card, decision: { kind: "retry" } }, async () => undefined);
  }
  return unblockByPerson(run, worker) || cards.length > 0;
}
