import type { ChangeValidation } from "#shared/contract/commands/validation.ts";
import type { EngineCommands } from "#shared/contract/commands.ts";
import { trustIn } from "#shared/domain/validation/panel-trust.ts";
import { EngineRefusal, explain } from "../../../engine-errors.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { createFollowedWork } from "../../../kernel/followed-work.ts";
import type { Run } from "../../../ports.ts";
import { removeLeftCheckouts } from "../../../workspaces/panel-checkouts.ts";
import { prepareValidation, validateChange } from "./validate-change.ts";

type Validating = EngineCommands<
  "change.validate" | "change.validateMore" | "change.cancelValidate" | "change.lastValidation",
  Run
>;

/** A panel judges any change, without a run. */
export const changeValidation: Feature<Run> = {
  name: "change-validation",
  commands(scope) {
    const failed = (error: unknown): void => {
      const { message, remedy } = explain(error);
      scope.emit({ kind: "notice", level: "error", text: `A panel failed: ${message}`, remedy });
    };
    const validations = createFollowedWork<ChangeValidation>(failed);
    const ready = async (): Promise<void> => {
      if (validations.going().length === 0) await removeLeftCheckouts(scope.stateFolder);
    };
    return validationCommands(scope, validations, ready);
  },
};

function validationCommands(
  scope: CommandScope<Run>,
  validations: ReturnType<typeof createFollowedWork<ChangeValidation>>,
  ready: () => Promise<void>,
): Validating {
  const { journal } = scope;
  const withTrust = (one: ChangeValidation): ChangeValidation => ({
    ...one,
    trust: trustIn(journal.verdicts(), one.panel),
  });
  return {
    async "change.validate"(input) {
      const prepared = await prepareValidation(scope, input);
      const { first } = prepared;
      const same = validations.going().find(({ commitId }) => commitId === first.commitId);
      if (same)
        throw new EngineRefusal(
          `${first.title} is already being validated.`,
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
      // Its host was killed while it ran.
      return withTrust(last.end === null && !isGoing ? { ...last, end: { kind: "cancelled" } } : last);
    },
  };
}
