import { existsSync } from "node:fs";
import { join } from "node:path";
import { JjError } from "../../jj/errors.ts";
import { warn } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";

/**
 * Whether an error is due to an agent's workspace that was deleted or forgotten in jj. Decided by what
 * exists, because jj has many messages for it; the retry recreates the workspace.
 */
export async function isLostWorkspace(run: Run, error: unknown): Promise<boolean> {
  // If the repository itself is gone, nothing can be recreated.
  if (!(error instanceof JjError) || !existsSync(join(run.repository.root, ".jj"))) return false;
  const folders = [...run.workers.values()].flatMap(({ record: { name, folder } }) =>
    folder === null ? [] : [{ name, folder }],
  );
  if (folders.some(({ folder }) => !existsSync(join(folder, ".jj")))) return true;
  if (error.kind !== "no-such-workspace") return false;
  const refs = await run.repository.refs();
  return folders.some(({ name }) => refs.workspaces[name] === undefined);
}

/** The snapshot continues in a new workspace; later edits are gone with the folder. */
export function notifyLost(run: Run, worker: string, folder: string): void {
  warn(
    run,
    `Workspace of ${worker} was deleted (${folder}). Recreating it from the last snapshot; later edits are lost.`,
    "Don't delete agent workspaces during a run. Remove them afterwards with `hox clean`.",
  );
}
