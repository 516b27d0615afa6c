import type { ChangeValidation } from "#shared/contract/commands/validation.ts";
import {
  type RecordedVerdict,
  type VerdictEvent,
  verdictsIn,
} from "#shared/domain/validation/panel-trust.ts";
import type { JournalDatabase } from "./journal-database.ts";

/** Only the newest of each change counts. */
const maxValidations = 500;

/** The verdicts of panels: on changes without a run, and on the results of runs with what became of them. */
export function createJudgements({ sql, together }: JournalDatabase) {
  /** Until a run ends or another event of a verdict is written, by this process or another one. */
  let cached: { readonly key: string; readonly verdicts: readonly RecordedVerdict[] } | null = null;
  return {
    setValidation(validation: ChangeValidation): void {
      together(() => {
        sql(
          "INSERT INTO change_validations (id, change_id, at, record) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record",
        ).run(validation.id, validation.changeId, validation.at, JSON.stringify(validation));
        sql(
          "DELETE FROM change_validations WHERE rowid NOT IN (SELECT rowid FROM change_validations ORDER BY rowid DESC LIMIT ?)",
        ).run(maxValidations);
      });
    },
    /** The newest of a change. */
    validationOf(changeId: string): ChangeValidation | null {
      const row = sql(
        "SELECT record FROM change_validations WHERE change_id = ? ORDER BY rowid DESC LIMIT 1",
      ).get(changeId);
      return row === undefined ? null : (JSON.parse(String(row.record)) as ChangeValidation);
    },
    /** Every verdict on the result of a run whose outcome is known, the oldest run first. Rehearsals, whose votes are scripted, are left out. */
    verdicts(): readonly RecordedVerdict[] {
      const events = sql(`SELECT max(seq) AS last FROM events WHERE ${isOfVerdict}`).get();
      const runs = sql("SELECT count(ended_at) AS ended, total(ended_at) AS at FROM runs").get();
      const key = `${events?.last} ${runs?.ended} ${runs?.at}`;
      if (cached?.key !== key) cached = { key, verdicts: readVerdicts(sql) };
      return cached.verdicts;
    },
  };
}

/** The condition is that of the index `verdict_events`. */
const isOfVerdict = `json_extract(event, '$.kind') IN
  ('VotesCounted', 'ResultReturned', 'ResultLanded', 'LandingUndone', 'LandingRedone', 'LandingReverted')`;

function readVerdicts(sql: JournalDatabase["sql"]): readonly RecordedVerdict[] {
  const rows = sql(
    `SELECT run, json_remove(event, '$.validation.checks') AS event, runs.ended_at AS ended_at
     FROM events JOIN runs ON runs.id = run
     WHERE ${isOfVerdict} AND json_extract(runs.input, '$.rehearsal') IS NULL
     ORDER BY runs.rowid, seq`,
  ).all();
  return [...Map.groupBy(rows, (row) => String(row.run))].flatMap(([run, own]) =>
    verdictsIn(
      own.map(({ event }) => JSON.parse(String(event)) as VerdictEvent),
      own[0]?.ended_at !== null,
    ).map((verdict) => ({ run, ...verdict })),
  );
}
