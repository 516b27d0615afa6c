/**
 * How a worker speaks in its orchestrator's conversation: the same way, so that the cached prefix is kept.
 */
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { cachedShare } from "#shared/domain/spending/usage.ts";
import type { Run } from "../ports.ts";
import { answersOf } from "./conversation-factory.ts";

/** @param lender whose conversation it is */
export const inheritedConversation = (run: Run, worker: string, lender: string) => ({
  // Another effort would invalidate the cache.
  effort: answersOf(run, run.worker(lender).record.role).effort,
  onEntry(entry: ConversationEntry): void {
    run.appendTranscript(worker, entry);
    if (entry.kind === "usage" && run.worker(worker).record.inherits?.cachedShare === null)
      run.append({ kind: "InheritedContextRead", worker, cachedShare: cachedShare(entry.usage) });
  },
});
