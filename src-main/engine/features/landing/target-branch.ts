/** The branch that a result lands on: which one it is, where it stands, and what keeps it from moving. */
import type { JjError } from "../../../jj/errors.ts";
import { EngineRefusal } from "../../engine-errors.ts";
import { trunkOf } from "../../graph-sync/run-base.ts";
import type { RunGraph, RunReader } from "../../ports.ts";

/** The branch that the result is for: what was chosen, else the project's trunk. */
export async function branchOf(run: RunReader & RunGraph): Promise<string | null> {
  const { branch } = run.facts;
  if (branch !== null) return branch;
  const [stand, bookmarks] = await Promise.all([run.repository.gitStand(), bookmarksOf(run)]);
  return trunkOf({ bookmarks }, stand);
}

/** Why a branch cannot move to the result from where it stands, or null. */
export async function obstacle(
  run: RunGraph,
  bookmark: string,
  stands: readonly string[],
  result: string,
): Promise<EngineRefusal | JjError | null> {
  if (stands.length > 1)
    return new EngineRefusal(
      `The bookmark ${bookmark} is conflicted.`,
      `Decide where it stands with \`jj bookmark set ${bookmark} -r <change>\`, then land.`,
    );
  const [at = null] = stands;
  return at === result ? null : run.repository.refusalToMove({ branch: bookmark, from: at, to: result });
}

/** Where every bookmark stands; in several places where it is conflicted. */
export const bookmarksOf = (run: RunGraph): Promise<Readonly<Record<string, readonly string[]>>> =>
  run.repository.branches();
