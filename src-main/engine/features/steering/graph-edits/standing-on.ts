/** What would be torn from its ground, or be there twice, if an operation were undone. */
import type { ChangeName } from "#shared/contract/views/undo.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { RunGraph } from "../../../ports.ts";

type Reader = Pick<
  RunGraph["repository"],
  "operations" | "readPublishedDelta" | "changesOf" | "descendantsOf"
>;

/** How far back an operation is looked for. */
export const operationsRead = 2000;

/**
 * Changes that were written anew since the operation wrote them, and those that somebody has put on what it wrote. Without
 * any the operation can be undone, and everything is as it was before it.
 * @throws EngineRefusal for an operation that is too old, or one by which jj brought others together
 */
export async function findDependents(repository: Reader, operation: string): Promise<readonly ChangeName[]> {
  const known = (await repository.operations({ limit: operationsRead })).find(({ id }) => id === operation);
  const [before, other] = known?.parents ?? [];
  if (before === undefined || other !== undefined)
    throw new EngineRefusal(
      "This operation can't be undone on its own.",
      "Find it in the operation list below the graph and undo its changes there.",
    );
  const { added } = await repository.readPublishedDelta(before, operation);
  const written = new Set(added.map(({ commitId }) => commitId));
  const now = await repository.changesOf(added.map(({ changeId }) => changeId));
  const dependents = now.filter(({ commitId }) => !written.has(commitId));
  const rewritten = new Set(dependents.map(({ changeId }) => changeId));
  for (const change of added) {
    if (rewritten.has(change.changeId)) continue;
    for (const above of await repository.descendantsOf(change.commitId))
      if (!written.has(above.commitId) && !rewritten.has(above.changeId)) {
        rewritten.add(above.changeId);
        dependents.push(above);
      }
  }
  return dependents.map(nameOf);
}

const nameOf = ({ changeId, description }: Change): ChangeName => ({
  changeId,
  title: shownLine(description.split("\n")[0] ?? "") || changeId.slice(0, 8),
});
