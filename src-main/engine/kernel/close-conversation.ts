import type { RunJournal, RunReader } from "../ports.ts";

/** Closes a conversation whose work is over or was undone. */
export function closeConversation(run: RunReader & RunJournal, worker: string): void {
  run.worker(worker).open = null;
  run.journal.endConversation(run.id, worker);
}
