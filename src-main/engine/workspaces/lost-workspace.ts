import { existsSync } from "node:fs";
import { join } from "node:path";
import { JjError } from "../../jj/errors.ts";
import type { RunGraph, RunReader, RunScreen } from "../ports.ts";

/**
 * Whether something failed because somebody took a workspace away under its agent: deleted its folder, or had jj forget
 * it. That is judged by what is there, because jj says many things to it; whoever begins again makes it anew.
 */
export async function isLostWorkspace(run: RunReader & RunGraph, error: unknown): Promise<boolean> {
  // Where the repository itself is gone nothing can be made anew.
  if (!(error instanceof JjError) || !existsSync(join(run.repository.root, ".jj"))) return false;
  const folders = [...run.workers.values()].flatMap(({ record: { name, folder } }) =>
    folder === null ? [] : [{ name, folder }],
  );
  if (folders.some(({ folder }) => !existsSync(join(folder, ".jj")))) return true;
  if (error.kind !== "no-such-workspace") return false;
  const refs = await run.repository.refs();
  return folders.some(({ name }) => refs.workspaces[name] === undefined);
}

/** What was there goes on in a new workspace; what nobody had recorded of it is gone with the folder. */
export function notifyLost(run: RunScreen, worker: string, folder: string): void {
  run.emit({
    kind: "notice",
    level: "warning",
    text: `Workspace of ${worker} was deleted (${folder}). Recreating it from the last snapshot; later edits are lost.`,
    remedy: "Don't delete agent workspaces during a run. Remove them afterwards with `hox clean`.",
  });
}
