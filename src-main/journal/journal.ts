import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import type { Stage } from "#shared/contract/views/stage.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { RunEvent } from "#shared/domain/run/run-state.ts";
import type { Spent } from "#shared/domain/spending/usage.ts";
import type { ResumeToken } from "../agent/agent-interface.ts";
import type { CastVote } from "../validation/validation-interface.ts";
import { openConversations } from "./open-conversations.ts";
import { closeDatabase, openDatabase } from "./open-database.ts";

export interface RecordedInput {
  readonly goal: string;
  readonly orchestrators: number | null;
  readonly maxTokens: number | null;
  readonly maxMicroDollars: number | null;
  readonly onto: string | null;
  readonly rehearsal: string | null;
  readonly model: string;
}

export interface RecordedRunRow {
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly stage: Stage;
  readonly input: RecordedInput;
}

export interface SpendingRow {
  readonly worker: string;
  readonly at: number;
  readonly spent: Spent;
}

/** An event of one orchestrator's course. */
export interface RecordedEvent {
  readonly orchestrator: string;
  readonly event: RunEvent;
}

export interface RecordedAnswer {
  readonly item: InboxItem;
  readonly decision: CardAnswer | null;
}

export type Journal = ReturnType<typeof openJournal>;

/**
 * What jj cannot hold: the course of runs, conversations, spending, decisions that wait, votes. Every call is durable
 * when it returns. Losing the file costs these and no work.
 */
export function openJournal(path: string, now: () => number) {
  const { database, setAside, lostEnd } = openDatabase(path, now());
  const sql = statements(database);
  const json = (value: unknown): string => JSON.stringify(value);
  const read = <T>(row: Record<string, unknown> | undefined, column: string): T | undefined =>
    row === undefined || row[column] === null ? undefined : (JSON.parse(String(row[column])) as T);

  /** All of what `write` does is kept, or none of it. */
  const together = (write: () => void): void => {
    if (database.isTransaction) {
      write();
      return;
    }
    database.exec("BEGIN IMMEDIATE");
    try {
      write();
      database.exec("COMMIT");
    } catch (error) {
      // A full or failing disk makes SQLite take it all back by itself; to do so again would hide what went wrong.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  };
  const conversations = openConversations(sql, together);

  return {
    ...conversations,
    together,
    path,
    /** Where a damaged journal was put, when one was found. */
    setAside,
    /** Whether what was written last may be missing, because the write-ahead log was cut off or taken away. */
    lostEnd,

    addRun(id: string, input: RecordedInput): void {
      sql("INSERT INTO runs (id, started_at, stage, input) VALUES (?, ?, 'idle', ?)").run(
        id,
        now(),
        json(input),
      );
    },
    setStage(run: string, stage: Stage, over: boolean): void {
      sql(
        "UPDATE runs SET stage = ?, ended_at = CASE WHEN ? = 1 THEN coalesce(ended_at, ?) END WHERE id = ?",
      ).run(stage, over ? 1 : 0, now(), run);
      // Nobody goes on in a run that is over.
      if (over) conversations.endConversations(run);
    },
    /** Newest first. */
    runs(): readonly RecordedRunRow[] {
      // Not by the clock, which may have gone back between two of them.
      return sql("SELECT * FROM runs ORDER BY rowid DESC")
        .all()
        .map((row) => ({
          id: String(row.id),
          startedAt: Number(row.started_at),
          endedAt: row.ended_at === null ? null : Number(row.ended_at),
          stage: row.stage as Stage,
          input: JSON.parse(String(row.input)) as RecordedInput,
        }));
    },

    addEvent(run: string, orchestrator: string, event: RunEvent): void {
      sql("INSERT INTO events (run, orchestrator, at, event) VALUES (?, ?, ?, ?)").run(
        run,
        orchestrator,
        now(),
        json(event),
      );
    },
    /** In order, of all orchestrators. */
    events(run: string): readonly RecordedEvent[] {
      return sql("SELECT orchestrator, event FROM events WHERE run = ? AND concept = 'stage' ORDER BY seq")
        .all(run)
        .map((row) => ({
          orchestrator: String(row.orchestrator),
          event: JSON.parse(String(row.event)) as RunEvent,
        }));
    },

    /** What happens in a run beside its course. Plain JSON, whose meaning is the engine's. */
    addModelEvent(run: string, event: { readonly kind: string }): void {
      sql("INSERT INTO events (run, orchestrator, at, event, concept) VALUES (?, '', ?, ?, 'model')").run(
        run,
        now(),
        json(event),
      );
    },
    /** In order. */
    modelEvents<T>(run: string): readonly T[] {
      return sql("SELECT event FROM events WHERE run = ? AND concept = 'model' ORDER BY seq")
        .all(run)
        .map((row) => JSON.parse(String(row.event)) as T);
    },

    step<T>(run: string, step: string): { readonly result: T } | null {
      const row = sql("SELECT result FROM steps WHERE run = ? AND step = ?").get(run, step);
      return row ? { result: JSON.parse(String(row.result)) as T } : null;
    },
    setStep(run: string, step: string, result: unknown): void {
      sql("INSERT OR IGNORE INTO steps (run, step, at, result) VALUES (?, ?, ?, ?)").run(
        run,
        step,
        now(),
        json(result ?? null),
      );
    },

    /** The repository's configuration as it held for a run last; undefined for a run that never had any. */
    config<T>(run: string): T | undefined {
      return read<T>(sql("SELECT value FROM facts WHERE run = ? AND name = 'config'").get(run), "value");
    },
    setConfig(run: string, config: object): void {
      sql(
        "INSERT INTO facts (run, name, value) VALUES (?, 'config', ?) ON CONFLICT (run, name) DO UPDATE SET value = excluded.value",
      ).run(run, json(config));
    },

    /** New rows, and rows that have grown since. */
    setRows(run: string, worker: string, rows: readonly ConversationRow[]): void {
      this.together(() => {
        for (const { index, at, ...entry } of rows)
          sql(
            "INSERT INTO rows (run, worker, place, at, entry) VALUES (?, ?, ?, ?, ?) ON CONFLICT (run, worker, place) DO UPDATE SET entry = excluded.entry",
          ).run(run, worker, index, at, json(entry));
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

    /** Where the conversation that lasts for the whole run stands; null: there is none yet. */
    history(run: string, worker: string): ResumeToken | null {
      const row = sql("SELECT driver, parts FROM histories WHERE run = ? AND worker = ?").get(run, worker);
      return row === undefined
        ? null
        : { driver: String(row.driver), parts: read<readonly string[]>(row, "parts") ?? [] };
    },
    setHistory(run: string, worker: string, { driver, parts }: ResumeToken): void {
      sql(
        "INSERT INTO histories (run, worker, driver, parts) VALUES (?, ?, ?, ?) ON CONFLICT (run, worker) DO UPDATE SET driver = excluded.driver, parts = excluded.parts",
      ).run(run, worker, driver, json(parts));
    },

    /** A request id that is known already changes nothing: nothing is charged twice. */
    addSpending(run: string, worker: string, request: string, model: string, spent: Spent): boolean {
      const { changes } = sql(
        "INSERT OR IGNORE INTO spending (request, run, worker, model, at, micro_dollars, spent) VALUES (?, ?, ?, ?, ?, ?, ?)",
      ).run(request, run, worker, model, now(), spent.microDollars, json(spent));
      return Number(changes) === 1;
    },
    spending(run: string): readonly SpendingRow[] {
      return sql("SELECT worker, at, spent FROM spending WHERE run = ? ORDER BY rowid")
        .all(run)
        .map((row) => ({
          worker: String(row.worker),
          at: Number(row.at),
          spent: JSON.parse(String(row.spent)) as Spent,
        }));
    },
    microDollars(run: string): number {
      return Number(
        sql("SELECT coalesce(sum(micro_dollars), 0) AS n FROM spending WHERE run = ?").get(run)?.n ?? 0,
      );
    },

    addInboxItem(item: InboxItem): void {
      sql("INSERT INTO inbox (id, run, at, nonce, shown, item) VALUES (?, ?, ?, ?, ?, ?)").run(
        item.id,
        item.run,
        item.at,
        item.nonce,
        item.shown,
        json(item),
      );
    },
    /** Puts other content under the same id: answers to what was shown before no longer fit. */
    replaceInboxItem(item: InboxItem): void {
      sql("UPDATE inbox SET at = ?, nonce = ?, shown = ?, item = ? WHERE id = ? AND answered_at IS NULL").run(
        item.at,
        item.nonce,
        item.shown,
        json(item),
        item.id,
      );
    },
    inboxItem(id: string): RecordedAnswer | null {
      const row = sql("SELECT item, decision FROM inbox WHERE id = ?").get(id);
      return row
        ? {
            item: JSON.parse(String(row.item)) as InboxItem,
            decision: read<CardAnswer>(row, "decision") ?? null,
          }
        : null;
    },
    /** Oldest first. */
    openInbox(run: string): readonly InboxItem[] {
      return sql("SELECT item FROM inbox WHERE run = ? AND answered_at IS NULL ORDER BY rowid")
        .all(run)
        .map((row) => JSON.parse(String(row.item)) as InboxItem);
    },
    answerInboxItem(id: string, nonce: string, decision: CardAnswer): boolean {
      const { changes } = sql(
        "UPDATE inbox SET answered_at = ?, decision = ? WHERE id = ? AND nonce = ? AND answered_at IS NULL",
      ).run(now(), json(decision), id, nonce);
      return Number(changes) === 1;
    },

    setVotes(run: string, votes: readonly CastVote[]): void {
      this.together(() => {
        for (const vote of votes)
          sql(
            "INSERT INTO votes (run, attempt, seat, replacement, at, vote) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run, attempt, seat, replacement) DO UPDATE SET vote = excluded.vote, at = excluded.at",
          ).run(run, vote.attempt, vote.seat, vote.replacement, vote.at, json(vote));
      });
    },
    votes(run: string): readonly CastVote[] {
      return sql("SELECT vote FROM votes WHERE run = ? ORDER BY rowid")
        .all(run)
        .map((row) => JSON.parse(String(row.vote)) as CastVote);
    },

    close(): void {
      closeDatabase(database);
    },
  };
}

/** Prepared once per text. */
function statements(database: DatabaseSync): (text: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (text) => {
    const known = prepared.get(text) ?? database.prepare(text);
    prepared.set(text, known);
    return known;
  };
}
