import type { Stage } from "#shared/contract/views/stage.ts";
import type { EffortByRole, ModelsByRole } from "#shared/contract/views/start.ts";
import type { AttachmentLabel } from "#shared/domain/start/attachment.ts";
import type { ValidatorChoice } from "#shared/domain/validation/panel-choice.ts";
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
