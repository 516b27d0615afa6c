/** How a worker speaks that goes on in its orchestrator's conversation: as that one would, so that the cached prefix holds. */
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { cachedShare } from "#shared/domain/spending/usage.ts";
import type { Run } from "../ports.ts";
import { answersOf } from "./conversation-factory.ts";

/** @param lender whose conversation it is */
export const inheritedConversation = (run: Run, worker: string, lender: string) => ({
  // Another effort begins the cache anew.
  effort: answersOf(run, run.worker(lender).record.role).effort,
  onEntry(entry: ConversationEntry): void {
    run.appendTranscript(worker, entry);
    if (entry.kind === "usage" && run.worker(worker).record.inherits?.cachedShare === null)
      run.append({ kind: "InheritedContextRead", worker, cachedShare: cachedShare(entry.usage) });
  },
});
