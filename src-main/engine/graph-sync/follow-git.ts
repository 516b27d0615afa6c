import { singleFlight } from "#shared/async/single-flight.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import type { EngineEvent } from "../engine-interface.ts";
import { warnOf } from "../kernel/notify.ts";

/**
 * Imports what the user does with Git while the repository is open: a commit, a pull, a fetch. Existing
 * differences are imported at once.
 * @param isRunning whether work is based on commits that a branch may have dropped
 * @param onNews called after an import
 * @returns stops following; resolves when the last look is done
 */
export function followGit(
  repository: Pick<Repository, "importGit" | "watchGit">,
  isRunning: () => boolean,
  onNews: () => Promise<void>,
  emit: (event: EngineEvent) => void,
): () => Promise<void> {
  let stopped = false;
  const tell = (error: unknown): void => {
    if (stopped) return;
    warnOf({ emit }, error, "Changes made with Git could not be imported");
  };
  // jj's own writes trigger it too, and agents cause them all the time: requests during a look become one
  // more look.
  const look = singleFlight(async () => {
    if (stopped) return;
    try {
      const { hasChanged } = await repository.importGit({ keepsUnreachable: isRunning(), actor: "git" });
      if (hasChanged && !stopped) await onNews();
    } catch (error) {
      tell(error);
    }
  });
  void look();
  const stop = repository.watchGit(() => void look(), tell);
  return async () => {
    stopped = true;
    stop();
    await look();
  };
}
