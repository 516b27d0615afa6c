import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import type { EngineEvent } from "../engine-interface.ts";
import { warn, warnOf } from "../kernel/notify.ts";
import { save } from "./save-workspace.ts";

/**
 * Records what agents of runs that the journal does not know had not saved: it was deleted or damaged while they
 * worked. Whoever they were, their files belong in their changes. What cannot be recorded stays, and is named.
 * @param known ids of the runs that look after their own workspaces
 */
export async function recoverOrphanedWorkspaces(
  repository: Repository,
  stateFolder: string,
  known: ReadonlySet<string>,
  emit: (event: EngineEvent) => void,
): Promise<void> {
  const all = join(stateFolder, "workspaces");
  const recorded: string[] = [];
  for (const run of (await foldersIn(all)).filter((one) => !known.has(one)))
    for (const name of await foldersIn(join(all, run))) {
      const folder = join(all, run, name);
      if (!existsSync(join(folder, ".jj"))) continue;
      try {
        const workspace = repository.workspace(name, folder);
        const { hasChanged } = await save(workspace);
        if (hasChanged) recorded.push(`${name} in ${(await workspace.workingCopy()).changeId.slice(0, 12)}`);
      } catch (error) {
        warnOf({ emit }, error, `Files of ${name} in ${folder} could not be recorded`);
      }
    }
  if (recorded.length > 0)
    warn(
      { emit },
      `Found agent workspaces of a run that is not in the journal. Hox recorded their unsaved work: ${recorded.join(", ")}.`,
      "See these changes in the graph. A new run can build on them.",
    );
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
