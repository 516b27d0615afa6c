/** Removes the workspaces of runs that are over; their work stands in their changes. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { CleanUp } from "#shared/contract/views.ts";
import { JjError } from "../../jj/errors.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import type { Journal } from "../../journal/journal.ts";
import { explain } from "../engine-errors.ts";
import type { WorkerRecord } from "../run/records.ts";

/**
 * Every workspace of these runs is recorded by jj first and then goes with its folder. One that holds what jj does not
 * record (a file too large, a repository of its own) stays, with the reason.
 *
 * @param gone told of each worker whose workspace went
 */
export async function removeWorkspaces(
  repository: Repository,
  journal: Journal,
  runs: readonly string[],
  gone: (run: string, worker: string) => void,
): Promise<CleanUp> {
  const { refs } = await repository.readGraph({ revset: "none()" });
  const removed: string[] = [];
  const kept: { folder: string; reason: string; remedy: string }[] = [];
  for (const run of runs) {
    for (const [, { name, folder }] of journal.facts<WorkerRecord>(run, "worker/")) {
      if (folder === null || !existsSync(folder)) continue;
      try {
        if (existsSync(join(folder, ".jj")) && refs.workspaces[name] === undefined) {
          // Somebody forgot it by hand, and nobody knows what of it is recorded.
          const reason = "jj knows no workspace here any more, so what it holds may be nowhere else.";
          kept.push({ folder, reason, remedy: "Take out of it what you need, then delete it." });
          continue;
        }
        if (refs.workspaces[name] !== undefined && existsSync(join(folder, ".jj")))
          await repository.removeWorkspace(repository.workspace(name, folder), { actor: "hox" });
        else await rm(folder, { recursive: true, force: true });
        removed.push(folder);
        gone(run, name);
      } catch (error) {
        if (!(error instanceof JjError)) throw error;
        const { message, remedy } = explain(error);
        kept.push({ folder, reason: message, remedy });
      }
    }
  }
  return { removed, kept };
}
