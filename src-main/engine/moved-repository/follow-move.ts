import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isRepositoryOf, readNote, writeNote } from "../../config/repository-note.ts";
import { repointWorkspaces } from "../../jj/repoint-workspaces.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import type { EngineEvent } from "../engine-interface.ts";
import { inform } from "../kernel/notify.ts";

/**
 * Records whose state this is, and repoints the workspaces of agents if the repository was moved, before they
 * are used. Idempotent.
 */
export async function followMove(
  repository: Pick<Repository, "root" | "currentOperation">,
  stateFolder: string,
  emit: (event: EngineEvent) => void,
): Promise<void> {
  const { root } = repository;
  const before = readNote(stateFolder);
  const mended = await repointWorkspaces(root, await workspacesIn(join(stateFolder, "workspaces")));
  if (before?.root !== root || !isRepositoryOf(before, root))
    await writeNote(stateFolder, { root, operation: await repository.currentOperation() });
  if (before === null || before.root === root) return;
  const followed = mended.length === 0 ? "" : ` ${mended.length} agent workspaces were updated.`;
  inform(
    { emit },
    `This repository was moved here from ${before.root}. Its runs are available again.${followed}`,
  );
}

async function workspacesIn(all: string): Promise<readonly string[]> {
  if (!existsSync(all)) return [];
  const runs = await readdir(all, { withFileTypes: true });
  const found = await Promise.all(
    runs
      .filter((run) => run.isDirectory())
      .map(async ({ name: run }) =>
        (await readdir(join(all, run), { withFileTypes: true }))
          .filter((one) => one.isDirectory())
          .map(({ name }) => join(all, run, name)),
      ),
  );
  return found.flat();
}
