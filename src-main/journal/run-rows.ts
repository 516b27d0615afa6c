import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import type { EffortByRole, ModelsByRole } from "#shared/contract/commands/start.ts";
import type { Stage } from "#shared/contract/views/run.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { Spent } from "#shared/domain/spending/usage.ts";
import type { AttachmentLabel } from "#shared/domain/start/attachment.ts";
import type { ValidatorChoice } from "#shared/domain/validation/panel.ts";
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
  /** Who judges the result, as the user chose. Absent: the plan and the result decide. */
  readonly validators?: ValidatorChoice;
  /** Its root orchestrator. */
  readonly root: string;
  /** Of roles, as the user chose them. */
  readonly models: ModelsByRole;
  readonly efforts: EffortByRole;
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
    config<T>(run: string): T | undefined {
      return readJson<T>(sql("SELECT value FROM facts WHERE run = ? AND name = 'config'").get(run), "value");
    },
    attachments(run: string): readonly StoredAttachment[] {
      return (
        readJson<readonly StoredAttachment[]>(
          sql("SELECT value FROM facts WHERE run = ? AND name = 'attachments'").get(run),
          "value",
        ) ?? []
      );
    },
    setAttachments(run: string, attachments: readonly StoredAttachment[]): void {
      sql("INSERT INTO facts (run, name, value) VALUES (?, 'attachments', ?)").run(
        run,
        JSON.stringify(attachments),
      );
    },
    setConfig(run: string, config: object): void {
      sql(
        "INSERT INTO facts (run, name, value) VALUES (?, 'config', ?) ON CONFLICT (run, name) DO UPDATE SET value = excluded.value",
      ).run(run, JSON.stringify(config));
    },
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
    requests(run: string): readonly JournalSpending[] {
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
