import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import type { IdeaView } from "#shared/contract/commands/archangel.ts";
import type { Stage } from "#shared/contract/views/run.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import {
  noUses,
  type PatternRecordEvent,
  type PatternRecords,
  type PatternsInjected,
  type PatternUses,
  reducePatternRecords,
} from "#shared/domain/patterns/pattern-record.ts";
import type { Spent } from "#shared/domain/spending/usage.ts";
import type { ResumeToken } from "../agent/agent-interface.ts";
import type { CastVote } from "../validation/validation-interface.ts";
import { createJournalDatabase, type JournalDatabase, readJson } from "./journal-database.ts";
import { createJudgements } from "./judgements.ts";
import { closeDatabase, openDatabase } from "./open-database.ts";
import { createEvents, createRecordingRows, createRunRows, keptConversations } from "./run-rows.ts";

export type Journal = ReturnType<typeof openJournal>;

/**
 * What jj cannot hold: the stages of runs, conversations, spending, decisions that wait, votes. Every call is durable
 * when it returns. Losing the file costs these and no work.
 */
export function openJournal(path: string, now: () => number) {
  const { database, quarantine, hasLostEnd } = openDatabase(path, now());
  const shared = createJournalDatabase(database, now);
  const runs = createRunRows(shared);
  const conversations = openConversations(shared);
  const { timelineCards, spending } = createRecordingRows(shared);

  return {
    timelineCards,
    spending,
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
      // The conversations of a finished run are closed.
      if (over) conversations.endConversations(run);
    },

    close(): void {
      closeDatabase(database);
    },
  };
}

/** A conversation that a worker is in the middle of. */
interface OpenConversation {
  /** The key of its purpose; it is resumed for nothing else. */
  readonly key: string;
  /** Change ids of the messages that its prompt brought. */
  readonly delivered: readonly string[];
  readonly token: ResumeToken;
}

/**
 * One for each worker, and only its newest, so that it stays as large as what a model can read. Parts come one by
 * one: a long conversation is not written whole after each answer.
 */
function openConversations({ sql, together }: JournalDatabase) {
  return {
    openConversation(run: string, worker: string): OpenConversation | null {
      const row = sql(
        "SELECT key, delivered, driver FROM open_conversations WHERE run = ? AND worker = ?",
      ).get(run, worker);
      if (!row) return null;
      return {
        key: String(row.key),
        delivered: JSON.parse(String(row.delivered)) as readonly string[],
        token: {
          driver: String(row.driver),
          parts: sql("SELECT part FROM open_parts WHERE run = ? AND worker = ? ORDER BY place")
            .all(run, worker)
            .map(({ part }) => String(part)),
        },
      };
    },
    /** Takes the place of the one before. */
    beginConversation(run: string, worker: string, conversation: OpenConversation): void {
      const { key, delivered, token } = conversation;
      together(() => {
        this.endConversation(run, worker);
        sql(
          "INSERT INTO open_conversations (run, worker, key, delivered, driver) VALUES (?, ?, ?, ?, ?)",
        ).run(run, worker, key, JSON.stringify(delivered), token.driver);
        this.growConversation(run, worker, key, [...token.parts.entries()]);
      });
    },
    /**
     * Parts of the token that are new or have changed, by index. An ended conversation stays ended. The old
     * version of a part is kept, because earlier requests used it.
     */
    growConversation(
      run: string,
      worker: string,
      key: string,
      parts: readonly (readonly [place: number, part: string])[],
    ): void {
      together(() => {
        const length = Number(
          sql("SELECT count(*) AS n FROM open_parts WHERE run = ? AND worker = ?").get(run, worker)?.n ?? 0,
        );
        for (const [place] of parts)
          if (place < length)
            sql(
              "INSERT OR IGNORE INTO replaced_parts (run, worker, place, up_to, part) SELECT run, worker, place, ?, part FROM open_parts WHERE run = ? AND worker = ? AND place = ? AND EXISTS (SELECT 1 FROM open_conversations WHERE run = open_parts.run AND worker = open_parts.worker AND key = ?)",
            ).run(length, run, worker, place, key);
        for (const [place, part] of parts)
          sql(
            "INSERT INTO open_parts (run, worker, place, part) SELECT run, worker, ?, ? FROM open_conversations WHERE run = ? AND worker = ? AND key = ? ON CONFLICT (run, worker, place) DO UPDATE SET part = excluded.part",
          ).run(place, part, run, worker, key);
      });
    },
    endConversation(run: string, worker: string): void {
      sql("DELETE FROM open_conversations WHERE run = ? AND worker = ?").run(run, worker);
    },
    endConversations(run: string): void {
      sql("DELETE FROM open_conversations WHERE run = ?").run(run);
    },
  };
}

interface RecordedAnswer {
  readonly item: InboxItem;
  readonly decision: CardAnswer | null;
}

/** Cards for the user, and their answers. */
function createInboxItems({ sql, now }: JournalDatabase) {
  return {
    addInboxItem(item: InboxItem): void {
      sql("INSERT INTO inbox (id, run, at, nonce, shown, item) VALUES (?, ?, ?, ?, ?, ?)").run(
        item.id,
        item.run,
        item.at,
        item.nonce,
        item.shown,
        JSON.stringify(item),
      );
    },
    /** Puts other content under the same id: answers to what was shown before no longer fit. */
    replaceInboxItem(item: InboxItem): void {
      sql("UPDATE inbox SET at = ?, nonce = ?, shown = ?, item = ? WHERE id = ? AND answered_at IS NULL").run(
        item.at,
        item.nonce,
        item.shown,
        JSON.stringify(item),
        item.id,
      );
    },
    inboxItem(id: string): RecordedAnswer | null {
      const row = sql("SELECT item, decision FROM inbox WHERE id = ?").get(id);
      return row
        ? {
            item: JSON.parse(String(row.item)) as InboxItem,
            decision: readJson<CardAnswer>(row, "decision") ?? null,
          }
        : null;
    },
    /** Oldest first. */
    openInbox(run: string): readonly InboxItem[] {
      return sql("SELECT item FROM inbox WHERE run = ? AND answered_at IS NULL ORDER BY rowid")
        .all(run)
        .map((row) => JSON.parse(String(row.item)) as InboxItem);
    },
    /** Answered cards of one kind, the last first. */
    answeredInbox(run: string, kind: InboxItem["kind"]): readonly RecordedAnswer[] {
      return sql(
        "SELECT item, decision FROM inbox WHERE run = ? AND answered_at IS NOT NULL AND json_extract(item, '$.kind') = ? ORDER BY rowid DESC LIMIT 50",
      )
        .all(run, kind)
        .flatMap((row) => {
          const decision = readJson<CardAnswer>(row, "decision");
          return decision ? [{ item: JSON.parse(String(row.item)) as InboxItem, decision }] : [];
        });
    },
    /** @param by who answered, where several people may: kept with the answer or not at all */
    answerInboxItem(id: string, nonce: string, decision: CardAnswer, by?: string): boolean {
      const { changes } = sql(
        "UPDATE inbox SET answered_at = ?, decision = ?, item = json_patch(item, ?) WHERE id = ? AND nonce = ? AND answered_at IS NULL",
      ).run(
        now(),
        JSON.stringify(decision),
        JSON.stringify(by === undefined ? {} : { answeredBy: by }),
        id,
        nonce,
      );
      return Number(changes) === 1;
    },
  };
}

/** Transcripts, and the positions of conversations that last for the whole run. */
function createConversationRows({ sql, together }: JournalDatabase) {
  return {
    /** New rows, and rows that have grown since. */
    setRows(run: string, worker: string, rows: readonly ConversationRow[]): void {
      together(() => {
        for (const { index, at, ...entry } of rows)
          sql(
            "INSERT INTO rows (run, worker, place, at, entry) VALUES (?, ?, ?, ?, ?) ON CONFLICT (run, worker, place) DO UPDATE SET entry = excluded.entry",
          ).run(run, worker, index, at, JSON.stringify(entry));
      });
    },
    rows(run: string, worker: string): readonly ConversationRow[] {
      return sql("SELECT place, at, entry FROM rows WHERE run = ? AND worker = ? ORDER BY place")
        .all(run, worker)
        .map(
          (row) =>
            ({
              index: Number(row.place),
              at: Number(row.at),
              ...JSON.parse(String(row.entry)),
            }) as ConversationRow,
        );
    },
    rowCount(run: string, worker: string): number {
      return Number(
        sql("SELECT coalesce(max(place) + 1, 0) AS n FROM rows WHERE run = ? AND worker = ?").get(run, worker)
          ?.n ?? 0,
      );
    },

    /** The position of the conversation that lasts for the whole run; null: there is none yet. */
    history(run: string, worker: string): ResumeToken | null {
      const row = sql("SELECT driver, parts FROM histories WHERE run = ? AND worker = ?").get(run, worker);
      return row === undefined
        ? null
        : { driver: String(row.driver), parts: readJson<readonly string[]>(row, "parts") ?? [] };
    },
    setHistory(run: string, worker: string, { driver, parts }: ResumeToken): void {
      sql(
        "INSERT INTO histories (run, worker, driver, parts) VALUES (?, ?, ?, ?) ON CONFLICT (run, worker) DO UPDATE SET driver = excluded.driver, parts = excluded.parts",
      ).run(run, worker, driver, JSON.stringify(parts));
    },
  };
}

/** What each request to a model cost. */
function createSpendingRows({ sql, now }: JournalDatabase) {
  return {
    /** A request id that is known already changes nothing: nothing is charged twice. */
    addSpending(run: string, worker: string, request: string, model: string, spent: Spent): boolean {
      const { changes } = sql(
        "INSERT OR IGNORE INTO spending (request, run, worker, model, at, micro_dollars, spent) VALUES (?, ?, ?, ?, ?, ?, ?)",
      ).run(request, run, worker, model, now(), spent.microDollars, JSON.stringify(spent));
      return Number(changes) === 1;
    },
    /** What watches spent since a moment. (AX-1) */
    watchMicroDollars(since: number): number {
      return Number(
        sql(
          "SELECT coalesce(sum(micro_dollars), 0) AS n FROM spending WHERE at >= ? AND run IN (SELECT id FROM runs WHERE json_extract(input, '$.isWatch'))",
        ).get(since)?.n ?? 0,
      );
    },
  };
}

/** Decisions about patterns, and which finished runs used which. Of the repository, not of a run. */
function createPatternRows({ sql }: JournalDatabase) {
  return {
    addPatternEvent(event: PatternRecordEvent): void {
      sql("INSERT INTO pattern_record (at, event) VALUES (?, ?)").run(event.at, JSON.stringify(event));
    },
    patternRecords(): PatternRecords {
      return sql("SELECT event FROM pattern_record ORDER BY seq")
        .all()
        .map((row) => JSON.parse(String(row.event)) as PatternRecordEvent)
        .reduce<PatternRecords>(reducePatternRecords, {});
    },
    /** By pattern id; patterns that no finished run used are missing. */
    patternUses(): ReadonlyMap<string, PatternUses> {
      const uses = new Map<string, PatternUses>();
      const counted = new Set<string>();
      for (const { run, stage, event } of sql(usesOfRuns).all()) {
        const ending = stage === "complete" || stage === "stopped" ? stage : "failed";
        for (const { id } of (JSON.parse(String(event)) as PatternsInjected).patterns) {
          const before = uses.get(id) ?? noUses;
          // Several workers of a run read it, or one read a later version too: that is one use.
          if (counted.has(`${run} ${id}`)) continue;
          counted.add(`${run} ${id}`);
          uses.set(id, { ...before, [ending]: before[ending] + 1 });
        }
      }
      return uses;
    },
  };
}

/** The condition is that of the index `pattern_uses`. */
const usesOfRuns = `
  SELECT events.run AS run, runs.stage AS stage, events.event AS event
  FROM events JOIN runs ON runs.id = events.run
  WHERE substr(events.event, 1, 26) = '{"kind":"PatternsInjected"' AND runs.ended_at IS NOT NULL`;

/** What is kept for the repository and belongs to no run. */
function createIdeas({ sql, now }: JournalDatabase) {
  return {
    /** The newest first. */
    ideas(): readonly IdeaView[] {
      return sql("SELECT idea FROM ideas ORDER BY at DESC, rowid DESC")
        .all()
        .map((row) => JSON.parse(String(row.idea)) as IdeaView);
    },
    /** One that is known is written over. */
    setIdea(idea: IdeaView): void {
      sql(
        "INSERT INTO ideas (id, at, idea) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET idea = excluded.idea",
      ).run(idea.id, idea.at, JSON.stringify(idea));
    },
    /** @returns whether there was one */
    removeIdea(id: string): boolean {
      return sql("DELETE FROM ideas WHERE id = ?").run(id).changes > 0;
    },
    /** The user does not want to see it again. @param suggestion from `suggestionKey` */
    refuseSuggestion(suggestion: string): void {
      sql("INSERT OR IGNORE INTO refused_suggestions (suggestion, at) VALUES (?, ?)").run(suggestion, now());
    },
    isSuggestionRefused(suggestion: string): boolean {
      return sql("SELECT 1 FROM refused_suggestions WHERE suggestion = ?").get(suggestion) !== undefined;
    },
  };
}

/** Validators' votes, one for each attempt, seat and replacement. */
function createVotes({ sql, together }: JournalDatabase) {
  return {
    setVotes(run: string, votes: readonly CastVote[]): void {
      together(() => {
        for (const vote of votes)
          sql(
            "INSERT INTO votes (run, attempt, seat, replacement, at, vote) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run, attempt, seat, replacement) DO UPDATE SET vote = excluded.vote, at = excluded.at",
          ).run(run, vote.attempt, vote.seat, vote.replacement, vote.at, JSON.stringify(vote));
      });
    },
    votes(run: string): readonly CastVote[] {
      return sql("SELECT vote FROM votes WHERE run = ? ORDER BY rowid")
        .all(run)
        .map((row) => JSON.parse(String(row.vote)) as CastVote);
    },
  };
}
