import type { RunJournal, RunReader } from "../ports.ts";

/** Nobody goes on in it: what it was for is over, or was taken back. */
export function closeConversation(run: RunReader & RunJournal, worker: string): void {
  run.worker(worker).open = null;
  run.journal.endConversation(run.id, worker);
}
