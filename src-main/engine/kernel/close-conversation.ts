import type { Run } from "../ports.ts";

/** Closes a conversation whose work is over or was undone. */
export function closeConversation(run: Run, worker: string): void {
  run.worker(worker).open = null;
  run.journal.endConversation(run.id, worker);
}
