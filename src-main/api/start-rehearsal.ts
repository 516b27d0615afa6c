import { rm } from "node:fs/promises";
import { repositoryStateFolder } from "../config/state-folder.ts";
import type { HostState } from "./host-state.ts";
import { copyExample } from "./rehearsals.ts";

/** Rehearsals on their way from a click to the first sight of their run. */
export interface RehearsalStarts {
  /** @returns where it is played; null when it was cancelled, and then nothing of it is left */
  start(name: string): Promise<string | null>;
  /** Ends what is being prepared of that name: also a jj process that is at it. Nothing where its run has begun. */
  cancel(name: string): void;
}

export function createRehearsalStarts(
  state: Pick<HostState, "parts" | "stateFolder" | "open" | "closeRepository" | "during" | "engine"> &
    Pick<HostState, "recent" | "publishApp">,
): RehearsalStarts {
  const preparing = new Map<AbortController, string>();

  /** Saves and closes what was opened for nothing, and takes away all that was written for it. */
  const removeAll = async (root: string): Promise<void> => {
    const own = repositoryStateFolder(state.stateFolder, root);
    await state.closeRepository(root);
    await state.recent.forget(root);
    state.publishApp();
    for (const folder of [own, root]) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };

  return {
    async start(name) {
      const cancelled = new AbortController();
      preparing.set(cancelled, name);
      let root: string;
      try {
        const path = await copyExample(state.parts.rehearsals, state.stateFolder, name, cancelled.signal);
        root = await state.open(path);
        if (cancelled.signal.aborted) {
          await removeAll(root);
          return null;
        }
      } catch (error) {
        if (error === cancelled.signal.reason) return null;
        throw error;
      } finally {
        // From here on its run is stopped as every other.
        preparing.delete(cancelled);
      }
      const begin = {
        ...{ goal: state.parts.rehearsals.goal(name), rehearsal: name },
        ...{ orchestrators: null, onto: null, model: null },
      };
      // In the copy, and not in what the window showed when it asked.
      await state.during({ line: undefined, of: root }, () => state.engine().execute("run.start", begin));
      return root;
    },
    cancel(name) {
      for (const [controller, of] of preparing) if (of === name) controller.abort();
    },
  };
}
