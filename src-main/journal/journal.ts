import type { Stage } from "#shared/contract/views/stage.ts";
import { createConversationRows } from "./conversation-rows.ts";
import { createEvents } from "./events.ts";
import { createIdeas } from "./ideas.ts";
import { createInboxItems } from "./inbox-items.ts";
import { createJournalDatabase } from "./journal-database.ts";
import { createJudgements } from "./judgements.ts";
import { keptConversations } from "./kept-conversations.ts";
import { openConversations } from "./open-conversations.ts";
import { closeDatabase, openDatabase } from "./open-database.ts";
import { createPatternRows } from "./pattern-rows.ts";
import { createRecordingRows } from "./recording-rows.ts";
import { createRunRows } from "./run-rows.ts";
import { createSpendingRows } from "./spending-rows.ts";
import { createVotes } from "./votes.ts";

export type Journal = ReturnType<typeof openJournal>;

/**
 * What jj cannot hold: the course of runs, conversations, spending, decisions that wait, votes. Every call is durable
 * when it returns. Losing the file costs these and no work.
 */
export function openJournal(path: string, now: () => number) {
  const { database, quarantine, hasLostEnd } = openDatabase(path, now());
  const shared = createJournalDatabase(database, now);
  const runs = createRunRows(shared);
  const conversations = openConversations(shared);
  const { timelineCards } = createRecordingRows(shared);

  return {
    timelineCards,
    ...runs,
    ...conversations,
    ...keptConversations(shared),
    ...createEvents(shared),
    ...createConversationRows(shared),
    ...createSpendingRows(shared),
    ...createInboxItems(shared),
    ...createVotes(shared),
    ...createIdeas(shared),
    ...createJudgements(shared),
    ...createPatternRows(shared),

    together: shared.together,
    path,
    /** Where a damaged journal was put, when one was found. */
    quarantine,
    /** Whether what was written last may be missing, because the write-ahead log was cut off or taken away. */
    hasLostEnd,

    setStage(run: string, stage: Stage, over: boolean): void {
      runs.setStage(run, stage, over);
      // Nobody goes on in a run that is over.
      if (over) conversations.endConversations(run);
    },

    close(): void {
      closeDatabase(database);
    },
  };
}
