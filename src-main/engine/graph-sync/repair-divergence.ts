import type { Repository } from "../../jj/ports/repository-interface.ts";
import { isWriteConflict } from "../../jj/process/errors.ts";
import type { EngineEvent } from "../engine-interface.ts";
import { warn } from "../kernel/notify.ts";
import type { DivergenceRepairer } from "../ports.ts";

/** Retries when others write meanwhile; their next command triggers another look anyway. */
const patience = 5;

/** Creates the divergence repair of one repository. */
export function createDivergenceRepairer(
  repository: Pick<Repository, "converge" | "currentOperation" | "onlyOwnBetween">,
  emit: (event: EngineEvent) => void,
): DivergenceRepairer {
  /** Changes that the user was notified of. */
  let reported: ReadonlySet<string> = new Set();

  function tell(remaining: readonly string[]): void {
    for (const change of remaining)
      if (!reported.has(change))
        warn(
          { emit },
          `Change ${change.slice(0, 12)} was rewritten twice at the same time, and jj can't merge the two versions.`,
          `Compare both with \`jj log -r 'change_id(${change.slice(0, 12)})'\` and abandon one.`,
        );
    reported = new Set(remaining);
  }

  return {
    async mend(run) {
      for (let attempt = 1; ; attempt++) {
        const before = await repository.currentOperation();
        try {
          const { remaining, operation } = await repository.converge({
            crossed: true,
            actor: "hox",
            ...(run === undefined ? {} : { run }),
          });
          const again = remaining.length > 0 && attempt < patience;
          if (again && !(await repository.onlyOwnBetween(before, operation))) continue;
          tell(remaining);
          return;
        } catch (error) {
          if (!isWriteConflict(error) || attempt === patience) throw error;
        }
      }
    },
  };
}
