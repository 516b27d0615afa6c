import { isCrossing } from "../../jj/errors.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import type { EngineEvent } from "../engine-interface.ts";

/** So often it begins anew when somebody writes in the middle of it; their next command is looked at anyway. */
const patience = 5;

/** Changes that a person was told about, by repository. */
const told = new WeakMap<object, Set<string>>();

/**
 * Makes every change one again that a person and Hox rewrote at the same moment, whosever it is: of this run, of one that
 * is over, or a person's own that stands above. What two people wrote in different ways is theirs to settle, and they
 * are told once. (HOX-1.1)
 * @param revset only these; whoever waits for changes of their own does not wait until people stop writing theirs
 */
export async function mendDivergence(
  repository: Pick<Repository, "converge" | "currentOperation" | "onlyOwnBetween">,
  emit: (event: EngineEvent) => void,
  revset?: string,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = await repository.currentOperation();
    try {
      const { remaining, operation } = await repository.converge({
        crossed: true,
        actor: "hox",
        ...(revset === undefined ? {} : { revset: `mutable() & ${revset}` }),
      });
      const again = remaining.length > 0 && attempt < patience;
      if (again && !(await repository.onlyOwnBetween(before, operation))) continue;
      tell(repository, remaining, emit);
      return;
    } catch (error) {
      if (!isCrossing(error) || attempt === patience) throw error;
    }
  }
}

function tell(repository: object, remaining: readonly string[], emit: (event: EngineEvent) => void): void {
  const before = told.get(repository);
  told.set(repository, new Set(remaining));
  for (const change of remaining)
    if (!before?.has(change))
      emit({
        kind: "notice",
        level: "warning",
        text: `Change ${change.slice(0, 12)} was rewritten twice at the same moment, and jj cannot join the two.`,
        remedy: `Look at both with \`jj log -r 'change_id(${change.slice(0, 12)})'\` and abandon one.`,
      });
}
