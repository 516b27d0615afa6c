import { singleFlight } from "#shared/async/single-flight.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import { explain } from "../engine-errors.ts";
import type { EngineEvent } from "../engine-interface.ts";

/**
 * Takes over what a person does with Git while the repository is open: a commit, a pull, a fetch. What was there when it
 * was opened is taken over at once.
 * @param isRunning whether work stands on commits that a branch may have let go of
 * @param onNews called after something was taken over
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
    const { message, remedy } = explain(error);
    const text = `Changes made with Git could not be imported: ${message}`;
    emit({ kind: "notice", level: "warning", text, remedy });
  };
  // What jj writes there is told as well, and agents make it write all the time: what comes meanwhile is one look more.
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
