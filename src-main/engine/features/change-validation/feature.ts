import type { CalibrationView } from "#shared/contract/views/calibration.ts";
import type { ChangeValidation } from "#shared/contract/views/change-validation.ts";
import { trustIn } from "#shared/domain/validation/panel-trust.ts";
import { EngineRefusal, explain } from "../../engine-errors.ts";
import type { CommandScope, EngineCommands } from "../../kernel/commands.ts";
import type { Feature } from "../../kernel/feature.ts";
import { createFollowedWork } from "../../kernel/followed-work.ts";
import type { Run } from "../../ports.ts";
import { measuredTrust } from "../../workflow/measured-trust.ts";
import { removeLeftCheckouts } from "../../workspaces/panel-checkouts.ts";
import { beginCalibration, calibrate } from "./calibrate.ts";
import { judgingConfig } from "./judge-host.ts";
import { makeupOf, panelNow } from "./panel-now.ts";
import { forecastOf, prepareCalibration } from "./prepare-calibration.ts";
import { prepareValidation, validateChange } from "./validate-change.ts";

type Judging = EngineCommands<
  | "change.validate"
  | "change.validateMore"
  | "change.cancelValidate"
  | "change.lastValidation"
  | "calibration.trust"
  | "calibration.forecast"
  | "calibration.begin"
  | "calibration.more"
  | "calibration.cancel"
  | "calibration.last"
>;

/** A panel judges any change, and is measured itself. Neither belongs to a run. */
export const changeValidation: Feature<Run> = {
  name: "change-validation",
  commands(scope) {
    const failed = (error: unknown): void => {
      const { message, remedy } = explain(error);
      scope.emit({ kind: "notice", level: "error", text: `A panel could not go on: ${message}`, remedy });
    };
    const validations = createFollowedWork<ChangeValidation>(failed);
    const calibrations = createFollowedWork<CalibrationView>(failed);
    const ready = async (): Promise<void> => {
      if (validations.going().length + calibrations.going().length === 0)
        await removeLeftCheckouts(scope.stateFolder);
    };
    return {
      ...validationCommands(scope, validations, ready),
      ...calibrationCommands(scope, calibrations, ready),
    };
  },
};

function validationCommands(
  scope: CommandScope<Run>,
  validations: ReturnType<typeof createFollowedWork<ChangeValidation>>,
  ready: () => Promise<void>,
): Pick<
  Judging,
  "change.validate" | "change.validateMore" | "change.cancelValidate" | "change.lastValidation"
> {
  const { journal } = scope;
  const withTrust = (one: ChangeValidation): ChangeValidation => ({
    ...one,
    trust: trustIn(measuredTrust(journal), one.panel),
  });
  return {
    async "change.validate"(input) {
      const prepared = await prepareValidation(scope, input);
      const { first } = prepared;
      const same = validations.going().find(({ commitId }) => commitId === first.commitId);
      if (same)
        throw new EngineRefusal(
          `${first.title} is being validated already.`,
          "Wait for it, or cancel it first.",
        );
      await ready();
      validations.begin(first.id, first, (show, cancel) =>
        scope.whileOpen((closing) =>
          validateChange(scope, prepared, show, AbortSignal.any([cancel, closing])),
        ),
      );
      return { id: first.id };
    },
    async "change.validateMore"({ id, after }) {
      const { version, value } = await validations.more(id, after);
      return { version, value: withTrust(value) };
    },
    "change.cancelValidate": ({ id }) => validations.cancel(id),
    "change.lastValidation"({ changeId }) {
      const last = journal.validationOf(changeId);
      if (last === null) return null;
      const isGoing = validations.going().some(({ id }) => id === last.id);
      // Its host was killed while it went on.
      return withTrust(last.end === null && !isGoing ? { ...last, end: { kind: "cancelled" } } : last);
    },
  };
}

function calibrationCommands(
  scope: CommandScope<Run>,
  calibrations: ReturnType<typeof createFollowedWork<CalibrationView>>,
  ready: () => Promise<void>,
): Omit<Judging, keyof ReturnType<typeof validationCommands>> {
  const { journal } = scope;
  return {
    async "calibration.trust"() {
      const judging = await judgingConfig(scope);
      return trustIn(measuredTrust(journal), makeupOf(panelNow(judging, false), judging.model));
    },
    async "calibration.forecast"(input) {
      return forecastOf(journal, await prepareCalibration(scope, input));
    },
    async "calibration.begin"(input) {
      if (calibrations.going().length > 0)
        throw new EngineRefusal("A calibration goes on already.", "Wait for it, or cancel it first.");
      const begun = await beginCalibration(scope, await prepareCalibration(scope, input));
      await ready();
      calibrations.begin(begun.first.id, begun.first, (show, cancel) =>
        scope.whileOpen(async (closing) => {
          await calibrate(scope, begun, show, AbortSignal.any([cancel, closing]));
          // It stands beside the verdict of the run that is shown.
          scope.flush();
        }),
      );
      return { id: begun.first.id };
    },
    "calibration.more": ({ id, after }) => calibrations.more(id, after),
    "calibration.cancel": ({ id }) => calibrations.cancel(id),
    "calibration.last"() {
      const last = journal.calibrations()[0] ?? null;
      if (last === null) return null;
      const isGoing = calibrations.going().some(({ id }) => id === last.id);
      return last.end === null && !isGoing ? { ...last, end: { kind: "cancelled" } } : last;
    },
  };
}
