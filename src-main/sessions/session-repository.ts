/** Finds the repository of a session without starting jj, so that the reporting program does not wait. */
import { realpathSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { storeOf } from "../config/repository-note.ts";

/**
 * @param folder in which the session works
 * @returns the root of the repository, also for a folder of one of its workspaces; null where it is in none
 */
export function repositoryOf(folder: string): string | null {
  let at: string;
  try {
    at = realpathSync(folder);
  } catch {
    return null;
  }
  for (;;) {
    const store = storeOf(at);
    // `<root>/.jj/repo`
    if (store !== null) {
      const root = resolve(store, "..", "..");
      // A folder that merely names a store is not its repository.
      return basename(store) === "repo" && storeOf(root) === store ? root : null;
    }
    const above = dirname(at);
    if (above === at) return null;
    at = above;
  }
}
