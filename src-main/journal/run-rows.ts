import { createHash } from "node:crypto";
import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import type { EffortByRole, ModelsByRole } from "#shared/contract/commands/start.ts";
import type { Stage } from "#shared/contract/views/run.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { Spent } from "#shared/domain/spending/usage.ts";
import type { AttachmentLabel } from "#shared/domain/start/attachment.ts";
import type { ValidatorChoice } from "#shared/domain/validation/panel.ts";
import type { RecordedEvent, RunEvent } from "#shared/run/events.ts";
import type { ResumeToken } from "../agent/agent-interface.ts";
import { type JournalDatabase, readJson } from "./journal-database.ts";

export interface RecordedInput {
  readonly goal: string;
  readonly orchestrators: number | null;
  readonly maxTokens: number | null;
  readonly maxMicroDollars: number | null;
  readonly onto: string | null;
  readonly rehearsal: string | null;
  readonly model: string;
  /** How many agents try each task. */
  readonly attempts: number;
  /** One agent, without plan and votes. */
  readonly isQuick: boolean;
  /** Reviews sessions outside Hox until the user ends it, without plan and agents. */
  readonly isWatch: boolean;
  /** Label of the workers on which its agents work. Absent: as configured; empty: on the host. */
  readonly on?: string;
  /** Who judges the result, as the user chose. Absent: the plan and the result decide. */
  readonly validators?: ValidatorChoice;
  /** Its root orchestrator. */
  readonly root: string;
  /** Of roles, as the user chose them. */
  readonly models: ModelsByRole;
  readonly efforts: EffortByRole;
  /** The issue that it began from. */
  readonly issue?: {
    readonly number: number;
    readonly url: string;
    readonly title: string;
    /** The user wants the pull requests for it linked there. */
    readonly isLinked?: boolean | undefined;
  };
  /** Who started it, where several people share the host. */
  readonly startedBy?: string;
  /** The user's attachments; their contents are stored separately. */
  readonly attachments: readonly AttachmentLabel[];
}

/** A file that the user attached to a run. */
export interface StoredAttachment {
  readonly name: string;
  /** Base64. */
  readonly data: string;
}

export interface RecordedRunRow {
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly stage: Stage;
  readonly input: RecordedInput;
}

/** One for each run that this repository ever had, with the configuration that held for it. */
export function createRunRows({ sql, now }: JournalDatabase) {
  const fact = <T>(run: string, name: string): T | undefined =>
    readJson<T>(sql("SELECT value FROM facts WHERE run = ? AND name = ?").get(run, name), "value");
  const setFact = (run: string, name: string, value: object): void =>
    void sql(
      "INSERT INTO facts (run, name, value) VALUES (?, ?, ?) ON CONFLICT (run, name) DO UPDATE SET value = excluded.value",
    ).run(run, name, JSON.stringify(value));
  return {
    addRun(id: string, input: RecordedInput): void {
      sql("INSERT INTO runs (id, started_at, stage, input) VALUES (?, ?, 'idle', ?)").run(
        id,
        now(),
        JSON.stringify(input),
      );
    },
    setStage(run: string, stage: Stage, over: boolean): void {
      sql(
        "UPDATE runs SET stage = ?, ended_at = CASE WHEN ? = 1 THEN coalesce(ended_at, ?) END WHERE id = ?",
      ).run(stage, over ? 1 : 0, now(), run);
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

    /** The repository's configuration as it held for a run last; undefined for a run that never had any. */
    config: <T>(run: string): T | undefined => fact<T>(run, "config"),
    attachments: (run: string) => fact<readonly StoredAttachment[]>(run, "attachments") ?? [],
    setAttachments: (run: string, attachments: readonly StoredAttachment[]): void =>
      setFact(run, "attachments", attachments),
    setConfig: (run: string, config: object): void => setFact(run, "config", config),
  };
}

/** A card as it was answered; what it showed before it was replaced is not kept. */
export interface JournalCard {
  readonly item: InboxItem;
  readonly answeredAt: number | null;
  readonly decision: CardAnswer | null;
}

export interface JournalSpending {
  readonly worker: string;
  readonly model: string;
  readonly at: number;
  readonly spent: Spent;
}

/** All that the journal holds of one run, with its times: what a replay is made from. */
export function createRecordingRows({ sql }: Pick<JournalDatabase, "sql">) {
  return {
    /** The number of the newest one: another number means that something happened since. */
    lastMoment(run: string): number {
      return Number(sql("SELECT max(seq) AS last FROM events WHERE run = ?").get(run)?.last ?? 0);
    },
    /** Worker → what is shown of its conversation. */
    conversations(run: string): Readonly<Record<string, readonly ConversationRow[]>> {
      const rows = sql("SELECT worker, place, at, entry FROM rows WHERE run = ? ORDER BY worker, place")
        .all(run)
        .map((row) => ({
          worker: String(row.worker),
          row: {
            index: Number(row.place),
            at: Number(row.at),
            ...JSON.parse(String(row.entry)),
          } as ConversationRow,
        }));
      return Object.fromEntries(
        [...Map.groupBy(rows, ({ worker }) => worker)].map(([worker, own]) => [
          worker,
          own.map(({ row }) => row),
        ]),
      );
    },
    spending(run: string): readonly JournalSpending[] {
      return sql("SELECT worker, model, at, spent FROM spending WHERE run = ? ORDER BY rowid")
        .all(run)
        .map((row) => ({
          worker: String(row.worker),
          model: String(row.model),
          at: Number(row.at),
          spent: JSON.parse(String(row.spent)) as Spent,
        }));
    },
    /** In the order in which they were asked. */
    cards(run: string): readonly JournalCard[] {
      return sql("SELECT item, answered_at, decision FROM inbox WHERE run = ? ORDER BY rowid")
        .all(run)
        .map(cardOf);
    },
    /** Cards on a run's timeline, without decisions' diffs. */
    timelineCards(run: string): readonly JournalCard[] {
      return sql(
        `SELECT json_remove(item, '$.diff') AS item, answered_at, decision FROM inbox
         WHERE run = ? AND json_extract(item, '$.kind') IN ('align-request', 'mutation') ORDER BY rowid`,
      )
        .all(run)
        .map(cardOf);
    },
  };
}

const cardOf = (row: Record<string, unknown>): JournalCard => ({
  item: JSON.parse(String(row.item)) as InboxItem,
  answeredAt: row.answered_at === null ? null : Number(row.answered_at),
  decision: readJson<CardAnswer>(row, "decision") ?? null,
});

/** What happened in runs, and the results of what must not happen twice. */
export function createEvents({ sql, now }: JournalDatabase) {
  return {
    /** @param at when it happened, in ms since 1970 */
    addEvent(run: string, event: RunEvent, at: number = now()): void {
      sql("INSERT INTO events (run, at, event) VALUES (?, ?, ?)").run(run, at, JSON.stringify(event));
    },
    ...readEvents({ sql }),

    /** @returns in ms since 1970; null where nothing has happened in it */
    lastEventAt(run: string): number | null {
      const row = sql("SELECT max(at) AS at FROM events WHERE run = ?").get(run);
      return row?.at == null ? null : Number(row.at);
    },

    /** A run's landing events in order; reads no others. */
    landingEvents(run: string): readonly RunEvent[] {
      return (
        sql(
          `SELECT event FROM events WHERE run = ?
         AND (event LIKE '%"kind":"ResultLanded"%' OR event LIKE '%"kind":"Landing%') ORDER BY seq`,
        )
          .all(run)
          .map((row) => JSON.parse(String(row.event)) as RunEvent)
          // The search text may also occur in other kinds of events.
          .filter(({ kind }) => kind === "ResultLanded" || kind.startsWith("Landing"))
      );
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
        JSON.stringify(result ?? null),
      );
    },
  };
}

/** Reads the events of runs. */
export const readEvents = ({ sql }: Pick<JournalDatabase, "sql">) => ({
  /** In the order in which they were written. */
  events(run: string): readonly RecordedEvent[] {
    return sql("SELECT at, event FROM events WHERE run = ? ORDER BY seq")
      .all(run)
      .map((row) => ({ at: Number(row.at), event: JSON.parse(String(row.event)) as RunEvent }));
  },
});

/** Maximum size of a run's, in characters; the oldest are removed first. */
const keptCharacters = 64 * 1024 * 1024;

/** What is kept of one iteration's conversation. */
export interface KeptConversation {
  /** Commit of the worker's change at the iteration's end; null if unknown. */
  readonly commit: string | null;
  /** Its state at its end. */
  readonly token: ResumeToken;
  /** Its state at this number of parts: text that was shortened later is complete. */
  at(length: number): ResumeToken;
}

/** Null: there never was one, or it was not kept. `made-way`: newer ones of the run have taken its room. */
type KeptAnswer = KeptConversation | "made-way" | null;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** What of conversations is written and made room for. */
function keptRows({ sql, now }: Pick<JournalDatabase, "sql" | "now">) {
  const keepPart = (kept: number | bigint, place: number, upTo: number | null, part: string): void => {
    const hash = hashOf(part);
    sql("INSERT OR IGNORE INTO kept_texts (hash, text) VALUES (?, ?)").run(hash, part);
    sql("INSERT INTO kept_parts (kept, place, up_to, hash) VALUES (?, ?, ?, ?)").run(kept, place, upTo, hash);
  };
  const openVersions = (run: string, worker: string): readonly PartVersion[] =>
    sql(
      "SELECT place, part, NULL AS up_to FROM open_parts WHERE run = ?1 AND worker = ?2 UNION ALL SELECT place, part, up_to FROM replaced_parts WHERE run = ?1 AND worker = ?2",
    )
      .all(run, worker)
      .map(versionOf);
  const begin = (
    run: string,
    worker: string,
    iteration: number,
    row: { readonly driver: string; readonly commit: string | null; readonly characters: number },
  ): number | bigint => {
    sql("DELETE FROM kept_conversations WHERE run = ? AND worker = ? AND iteration = ?").run(
      run,
      worker,
      iteration,
    );
    return sql(
      'INSERT INTO kept_conversations (run, worker, iteration, driver, "commit", characters, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ).run(run, worker, iteration, row.driver, row.commit, row.characters, now()).lastInsertRowid;
  };
  const makeRoom = (run: string, most: number): void => {
    const rows = sql(
      "SELECT id, characters FROM kept_conversations WHERE run = ? AND made_way = 0 ORDER BY id DESC",
    ).all(run);
    let characters = 0;
    const old = rows.filter((row, at) => {
      characters += Number(row.characters);
      return at > 0 && characters > most;
    });
    if (old.length === 0) return;
    for (const { id } of old) {
      sql("UPDATE kept_conversations SET made_way = 1 WHERE id = ?").run(id as number);
      sql("DELETE FROM kept_parts WHERE kept = ?").run(id as number);
    }
    sql("DELETE FROM kept_texts WHERE hash NOT IN (SELECT hash FROM kept_parts)").run();
  };

  return { keepPart, openVersions, begin, makeRoom };
}

/**
 * Conversations of finished iterations, stored so that any turn of them can be forked. Text that several
 * share, such as forks with their origin, is stored once.
 */
export function keptConversations(database: JournalDatabase) {
  const { sql, together } = database;
  const { keepPart, openVersions, begin, makeRoom } = keptRows(database);
  return {
    /**
     * Keeps the conversation that a worker is in, as the one of an iteration. To be called before it is ended, in one
     * transaction with that. @param most characters that all of the run's may have
     */
    keepConversation(
      run: string,
      worker: string,
      { iteration, commit }: { readonly iteration: number; readonly commit: string | null },
      most = keptCharacters,
    ): void {
      together(() => {
        const open = sql("SELECT driver FROM open_conversations WHERE run = ? AND worker = ?").get(
          run,
          worker,
        );
        if (!open) return;
        const parts = openVersions(run, worker);
        const characters = parts.reduce((sum, { part }) => sum + part.length, 0);
        const kept = begin(run, worker, iteration, { driver: String(open.driver), commit, characters });
        for (const { place, part, upTo } of parts) keepPart(kept, place, upTo, part);
        makeRoom(run, most);
      });
    },
    /** Keeps what a worker's conversation begins with. */
    keepHistory(run: string, worker: string, iteration: number, { driver, parts }: ResumeToken): void {
      together(() => {
        const characters = parts.reduce((sum, part) => sum + part.length, 0);
        const kept = begin(run, worker, iteration, { driver, commit: null, characters });
        for (const [place, part] of parts.entries()) keepPart(kept, place, null, part);
      });
    },
    /** The conversation of a worker's iteration. */
    keptConversation(run: string, worker: string, iteration: number): KeptAnswer {
      const row = sql(
        'SELECT id, driver, "commit", made_way FROM kept_conversations WHERE run = ? AND worker = ? AND iteration = ?',
      ).get(run, worker, iteration);
      if (!row) return null;
      if (row.made_way === 1) return "made-way";
      const versions = sql(
        "SELECT place, up_to, text AS part FROM kept_parts JOIN kept_texts USING (hash) WHERE kept = ?",
      ).all(Number(row.id));
      return {
        commit: row.commit === null ? null : String(row.commit),
        ...tokensOf(String(row.driver), versions.map(versionOf)),
      };
    },
    /** The same of the conversation that a worker is in the middle of. */
    keptOpen(run: string, worker: string): Omit<KeptConversation, "commit"> | null {
      const open = sql("SELECT driver FROM open_conversations WHERE run = ? AND worker = ?").get(run, worker);
      if (!open) return null;
      return tokensOf(String(open.driver), openVersions(run, worker));
    },
  };
}

/** One text of a part: how it read for as long as the conversation had at most `upTo` parts; null: to its end. */
interface PartVersion {
  readonly place: number;
  readonly upTo: number | null;
  readonly part: string;
}

const versionOf = (row: Record<string, unknown>): PartVersion => ({
  place: Number(row.place),
  upTo: row.up_to === null ? null : Number(row.up_to),
  part: String(row.part),
});

function tokensOf(driver: string, versions: readonly PartVersion[]): Omit<KeptConversation, "commit"> {
  const shortestFirst = versions.toSorted((one, other) => (one.upTo ?? Infinity) - (other.upTo ?? Infinity));
  const at = (length: number): ResumeToken => {
    const parts: string[] = [];
    for (const { place, upTo, part } of shortestFirst)
      if (place < length && length <= (upTo ?? Infinity)) parts[place] ??= part;
    return { driver, parts };
  };
  return { token: at(versions.reduce((most, { place }) => Math.max(most, place + 1), 0)), at };
}
