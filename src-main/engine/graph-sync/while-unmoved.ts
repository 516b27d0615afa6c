/** Detects when a change is modified while it is judged. */

import type { ItemOf } from "#shared/contract/cards.ts";
import { EngineRefusal } from "../engine-errors.ts";
import type { Run } from "../ports.ts";
import { readChange } from "./read-change.ts";

/** Something of the graph that is judged. */
export interface Judged {
  /** As it was read last: another value means that it may hold other files by now. Looks nothing up. */
  readonly lastRead: () => string | undefined;
  /** Whether it holds other files than those that are judged. Looked up. @throws EngineRefusal where it is gone */
  readonly holdsOther: () => Promise<boolean>;
}

/** One change, of which one commit is judged. */
export const judgedChange = (run: Run, changeId: string, commitId: string): Judged => ({
  lastRead: () => run.changes.get(changeId)?.commitId,
  holdsOther: () => holdsOtherFiles(run, changeId, commitId),
});

/**
 * Runs work on the files of a change, and aborts it as soon as they change. Descriptions may change.
 *
 * @param perform gets a signal that aborts when the files have changed
 * @returns its result, and whether the files have changed, which is checked again at the end
 */
export async function whileUnmoved<Outcome>(
  run: Run,
  judged: Judged,
  perform: (moved: AbortSignal) => Promise<Outcome>,
): Promise<{ readonly outcome: Outcome; readonly hasMoved: () => Promise<boolean> }> {
  const moved = new AbortController();
  const over = new AbortController();
  const watching = abortWhenMoved(run, judged, moved, over.signal);
  try {
    const outcome = await perform(moved.signal);
    return { outcome, hasMoved: judged.holdsOther };
  } finally {
    over.abort();
    await watching;
  }
}

async function abortWhenMoved(
  run: Run,
  { lastRead, holdsOther }: Judged,
  moved: AbortController,
  over: AbortSignal,
): Promise<void> {
  const cancelled = AbortSignal.any([over, run.runEnded.signal]);
  let seen = lastRead();
  const isRewritten = (): boolean => lastRead() !== seen;
  try {
    do {
      await run.waiters.until(isRewritten, cancelled);
      seen = lastRead();
    } while (!(await holdsOther()));
    moved.abort();
  } catch (error) {
    // A change that is gone cannot be judged. Other errors do not interrupt: the final check repeats this and
    // fails loudly.
    if (error instanceof EngineRefusal) moved.abort();
  }
}

/** Whether a change holds other files than a commit that was judged. Looked up. */
export async function holdsOtherFiles(run: Run, changeId: string, commitId: string): Promise<boolean> {
  const now = await readChange(run, changeId);
  return now.commitId !== commitId && holdsOther(run, now.commitId, commitId);
}

/** Whether two commits hold other files. */
export const holdsOther = async ({ repository }: Run, commit: string, from: string): Promise<boolean> =>
  !(await repository.hasSameFiles(commit, from));

/**
 * Withdraws cards of verdicts on work that was edited while Hox was closed, before the user sees them. The
 * run judges it again.
 *
 * @param hasMoved null: the card is about something else. May throw: the caller checks again and fails loudly
 */
export async function withdrawVoid(
  run: Run,
  hasMoved: (item: ItemOf<"votes">) => Promise<boolean> | null,
  reason: string,
): Promise<void> {
  for (const item of run.inbox.items()) {
    if (item.kind !== "votes") continue;
    const isVoid = await (hasMoved(item) ?? Promise.resolve(false)).catch(() => false);
    if (isVoid) run.inbox.withdraw(({ id }) => id === item.id, reason);
  }
}
