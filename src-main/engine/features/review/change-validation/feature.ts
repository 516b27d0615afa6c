import type { ChangeValidation } from "#shared/contract/commands/validation.ts";
import { trustIn } from "#shared/domain/validation/panel-trust.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { createFollowedWork } from "../../../kernel/followed-work.ts";
import type { Run } from "../../../ports.ts";
import { removeLeftCheckouts } from "../../../workspaces/set-up-checkouts.ts";
import { prepareValidation, validateChange } from "./validate-change.ts";

/** A panel judges any change, without a run. */
export const changeValidation: Feature<Run> = {
  name: "change-validation",
  commands(scope) {
    const { journal, stateFolder, whileOpen } = scope;
    const validations = createFollowedWork<ChangeValidation>(scope.emit, "A panel failed");
    const withTrust = (one: ChangeValidation): ChangeValidation => ({
      ...one,
      trust: trustIn(journal.verdicts(), one.panel),
    });
    return {
      async "change.validate"(input) {
        const prepared = await prepareValidation(scope, input);
        const { id, commitId, title } = prepared.first;
        if (validations.going().some((one) => one.commitId === commitId))
          throw new EngineRefusal(`${title} is already being validated.`, "Wait for it, or cancel it first.");
        if (validations.going().length === 0) await removeLeftCheckouts(stateFolder);
        validations.begin(id, prepared.first, (show, cancel) =>
          whileOpen((closing) => validateChange(scope, prepared, show, AbortSignal.any([cancel, closing]))),
        );
        return { id };
      },
      async "change.validateMore"({ id, after }) {
        const { version, value } = await validations.more(id, (now) => now.version <= after);
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
  },
};
