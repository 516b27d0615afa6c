/** Records the files of a workspace in the change that is theirs, whatever was done to either in a terminal meanwhile. */

import type { Repository } from "../../jj/ports/repository-interface.ts";
import type { Recorded } from "../../jj/ports/working-copies.ts";
import { JjError } from "../../jj/process/errors.ts";
import { protection } from "../../tools/protected-files.ts";
import type { Run } from "../ports.ts";
import type { RecordedWorkspace } from "./workspace-interface.ts";

/**
 * Records a worker's files in its change. A rewrite by the user may have made the copy stale meanwhile: then
 * jj first records the files where they belong and updates the copy.
 */
export async function save(workspace: RecordedWorkspace): Promise<Recorded> {
  try {
    return await workspace.snapshot({ actor: workspace.name });
  } catch (error) {
    if (!(error instanceof JjError) || error.kind !== "stale") throw error;
    await workspace.updateStale({ actor: workspace.name });
    return workspace.snapshot({ actor: workspace.name });
  }
}

/**
 * Records a worker's files in the change that is theirs. Whoever rewrites a change at the very moment in which a
 * workspace is put on it makes jj leave the workspace where it was, on the nameless change above it in which it was
 * made: what was recorded there is moved to where it belongs. From any other change the workspace is only taken away.
 */
export async function saveTo(
  repository: Repository,
  workspace: RecordedWorkspace,
  change: string,
): Promise<Recorded> {
  return (
    (await saveOrMove(repository, workspace, change)) ?? { ...(await save(workspace)), hasChanged: true }
  );
}

/** @returns null if the workspace was moved to the change, which has its files now */
async function saveOrMove(
  repository: Repository,
  workspace: RecordedWorkspace,
  change: string,
): Promise<Recorded | null> {
  const saved = await save(workspace);
  if (saved.changeId === change) return saved;
  const actor = workspace.name;
  if (await isNamelessOn(repository, saved.commitId, change))
    await repository.squash({ from: saved.commitId, into: change, actor });
  await workspace.updateStale({ actor });
  await workspace.edit(change, { actor });
  return null;
}

/**
 * Has a workspace work on a change, with its files up to date. No process where it does: what was written since its files
 * were last recorded is recorded when its agent's next turns end.
 */
export async function bringTo(run: Run, workspace: RecordedWorkspace, change: string): Promise<void> {
  const commit = await workspace.freshCommit();
  if (commit !== null && (await run.repository.change(change))?.commitId === commit) return;
  await saveOrMove(run.repository, workspace, change);
}

async function isNamelessOn(repository: Repository, commit: string, change: string): Promise<boolean> {
  if ((await repository.change(commit))?.description !== "") return false;
  return (await repository.parentsOf(commit)).some(({ changeId }) => changeId === change);
}

/**
 * The same, with a new description made from the one at an operation: in one process, and only if it has not
 * changed since.
 */
export async function saveAs(
  repository: Repository,
  workspace: RecordedWorkspace,
  change: string,
  { description, since }: { readonly description: string; readonly since: string },
): Promise<Recorded> {
  try {
    const saved = await workspace.describe(change, description, { since, actor: workspace.name });
    if (saved.changeId === change) return saved;
  } catch (error) {
    if (!(error instanceof JjError) || !["stale", "divergent", "no-such-revision"].includes(error.kind))
      throw error;
  }
  // The files may be recorded by now without our knowing.
  return { ...(await saveTo(repository, workspace, change)), hasChanged: true };
}

/** Protected files that the user changed in an agent's change: nobody is asked about them. */
export function keepWrittenByUser(
  run: Run,
  changeId: string,
  { files, commit }: { readonly files: readonly string[]; readonly commit: string },
): void {
  const guard = protection(run.config.protectedFiles);
  const paths = files.filter((path) => guard.covers(path) !== null);
  if (paths.length > 0)
    run.append({
      kind: "ProtectedChangeJudged",
      changeId,
      event: { kind: "WrittenByUser", paths, commit },
    });
}
