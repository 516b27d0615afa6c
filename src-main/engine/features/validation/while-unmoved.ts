/** What is judged may not change under whoever judges it. */
import { EngineRefusal } from "../../engine-errors.ts";
import { readChange } from "../../graph-sync/read-change.ts";
import type { Run, RunGraph, RunReader, RunTurns } from "../../ports.ts";

/**
 * Does something about the files of a change, and tells it as soon as they are others. Words of the description may
 * change: nobody judges those.
 *
 * @param perform is given a signal that aborts when the files have changed
 * @returns what it came to, and whether the change holds other files by now, which is looked up
 */
export async function whileUnmoved<Outcome>(
  run: Run,
  changeId: string,
  commitId: string,
  perform: (moved: AbortSignal) => Promise<Outcome>,
): Promise<{ readonly outcome: Outcome; readonly hasMoved: () => Promise<boolean> }> {
  const moved = new AbortController();
  const over = new AbortController();
  const watching = abortWhenMoved(run, changeId, commitId, moved, over.signal);
  try {
    const outcome = await perform(moved.signal);
    return { outcome, hasMoved: () => holdsOtherFiles(run, changeId, commitId) };
  } finally {
    over.abort();
    await watching;
  }
}

async function abortWhenMoved(
  run: RunReader & RunGraph & RunTurns,
  changeId: string,
  commitId: string,
  moved: AbortController,
  over: AbortSignal,
): Promise<void> {
  const lastRead = (): string | undefined => run.changes.get(changeId)?.commitId;
  const cancelled = AbortSignal.any([over, run.runEnded.signal]);
  let seen = lastRead();
  const isRewritten = (): boolean => lastRead() !== seen;
  try {
    do {
      await run.waiters.until(isRewritten, cancelled);
      seen = lastRead();
    } while (!(await holdsOtherFiles(run, changeId, commitId)));
    moved.abort();
  } catch (error) {
    // Gone from the graph it cannot be judged on. Whatever else kept this from looking keeps nobody from voting: before
    // anything follows from the votes it is looked up once more, and that fails aloud.
    if (error instanceof EngineRefusal) moved.abort();
  }
}

/** Whether a change holds other files than a commit that was judged. Looked up. */
export async function holdsOtherFiles(run: RunGraph, changeId: string, commitId: string): Promise<boolean> {
  const now = await readChange(run, changeId);
  if (now.commitId === commitId) return false;
  const difference = await run.repository.diff({ commit: now.commitId, from: commitId, limit: 0 });
  return difference.trim() !== "";
}
