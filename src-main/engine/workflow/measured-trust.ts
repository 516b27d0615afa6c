import type { ValidationView } from "#shared/contract/views/validation.ts";
import { type MeasuredTrust, type PanelTrust, trustIn } from "#shared/domain/validation/panel-trust.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RunReader } from "../ports.ts";
import { roleSettings } from "../role-settings.ts";

/** What the last calibration of the repository found; null: there is none. */
export function measuredTrust(journal: Pick<Journal, "measuredCalibration">): MeasuredTrust | null {
  const calibration = journal.measuredCalibration();
  if (calibration === null || calibration.measuredAt === null) return null;
  const planted = calibration.samples.filter((sample) => sample.planted !== null);
  return {
    at: calibration.measuredAt,
    panel: calibration.panel,
    figures: calibration.figures,
    planted: planted.length,
    builtIn: planted.filter(({ isBuiltIn }) => isBuiltIn).length,
  };
}

/** The same, held against who judged a result of a run; null: nobody did, or nothing is known here. */
export function trustInVerdict(
  run: Pick<RunReader, "config" | "model"> & {
    readonly journal: Partial<Pick<Journal, "measuredCalibration">>;
  },
  validation: ValidationView | null,
): PanelTrust | null {
  const { measuredCalibration } = run.journal;
  if (validation === null || measuredCalibration === undefined) return null;
  const usual = roleSettings.validator.model(run.config, "") ?? run.model;
  return trustIn(measuredTrust({ measuredCalibration }), {
    strategy: validation.strategy ?? "dedicated_validators",
    seats: validation.seats.map(({ seat, evidence, model }) => ({ seat, evidence, model: model ?? usual })),
  });
}
