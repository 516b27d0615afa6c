import type { CalibrationView } from "#shared/contract/views/calibration.ts";
import type { ChangeValidation } from "#shared/contract/views/change-validation.ts";
import type { JournalDatabase } from "./journal-database.ts";

/** Of each change the newest counts; what is older says nothing that anybody asks for. */
const mostValidations = 500;

/** A measurement with what is needed to go on with it. */
export interface KeptCalibration extends CalibrationView {
  /** By what it was chosen what is planted: with the same, the same is planted again. */
  readonly perKind: number;
}

/** What panels said of changes without a run, and how far they can be trusted: of the repository and of no run. */
export function createJudgements({ sql, together }: JournalDatabase) {
  return {
    setValidation(validation: ChangeValidation): void {
      together(() => {
        sql(
          "INSERT INTO change_validations (id, change_id, at, record) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record",
        ).run(validation.id, validation.changeId, validation.at, JSON.stringify(validation));
        sql(
          "DELETE FROM change_validations WHERE rowid NOT IN (SELECT rowid FROM change_validations ORDER BY rowid DESC LIMIT ?)",
        ).run(mostValidations);
      });
    },
    /** The newest of a change. */
    validationOf(changeId: string): ChangeValidation | null {
      const row = sql(
        "SELECT record FROM change_validations WHERE change_id = ? ORDER BY rowid DESC LIMIT 1",
      ).get(changeId);
      return row === undefined ? null : (JSON.parse(String(row.record)) as ChangeValidation);
    },
    /** What was paid for votes here: of each judgement that came to its end, the votes and their cost. */
    validations(): readonly ChangeValidation[] {
      return sql("SELECT record FROM change_validations ORDER BY rowid DESC LIMIT 50")
        .all()
        .map((row) => JSON.parse(String(row.record)) as ChangeValidation);
    },
    setCalibration(calibration: KeptCalibration): void {
      sql(
        "INSERT INTO calibrations (id, at, measured_at, record) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET measured_at = excluded.measured_at, record = excluded.record",
      ).run(calibration.id, calibration.at, calibration.measuredAt, JSON.stringify(calibration));
    },
    /** The newest first, finished or not. */
    calibrations(): readonly KeptCalibration[] {
      return sql("SELECT record FROM calibrations ORDER BY rowid DESC LIMIT 20")
        .all()
        .map((row) => JSON.parse(String(row.record)) as KeptCalibration);
    },
    /** The newest one that came to its end. */
    measuredCalibration(): KeptCalibration | null {
      const row = sql(
        "SELECT record FROM calibrations WHERE measured_at IS NOT NULL ORDER BY measured_at DESC, rowid DESC LIMIT 1",
      ).get();
      return row === undefined ? null : (JSON.parse(String(row.record)) as KeptCalibration);
    },
  };
}
