/** The status of a repository that is not on screen, in a few words. */

import type { OpenRepositoryView, RunStatus, UnfinishedRun } from "#shared/contract/views/app.ts";
import { counted } from "#shared/domain/text/format-text.ts";

const isGoing = ({ endedAt }: RunStatus): boolean => endedAt === null;

/** Whether closing it interrupts a run. */
export const runsInterrupted = ({ runs, lockedBy }: OpenRepositoryView): readonly RunStatus[] =>
  lockedBy === undefined ? runs.filter(isGoing) : [];

/** What waits for a user goes first, for that is why one would go there. */
export function repositoryLine({ lockedBy, runs, waiting }: OpenRepositoryView): string {
  if (lockedBy !== undefined) return "open in another Hox";
  const [card, ...more] = waiting;
  if (card && more.length > 0) return `${waiting.length} waiting for you`;
  if (card) return `${card.title.toLowerCase()} waiting for you`;
  const going = runs.filter(isGoing);
  const last = going.at(-1) ?? runs.at(-1);
  if (!last) return "no run";
  return going.length > 1 ? `${going.length} runs in progress` : formatRunStatus(last);
}

function formatRunStatus(run: RunStatus): string {
  if (run.paused === "budget") return "stopped at the budget";
  if (run.paused === "paused") return "paused";
  if (run.paused === "pausing") return "pausing";
  switch (run.stage) {
    case "idle":
      return "not started";
    case "executing":
      if (run.phase === 0) return "writing contracts";
      return run.phaseTitle === null ? "works" : `works: ${run.phaseTitle}`;
    case "watching":
      return "reviewing sessions";
    case "landing":
      return "landing";
    case "complete":
      return run.landed && run.landed.undoneAt == null ? `landed on ${run.landed.bookmark}` : "complete";
    default:
      return run.stage;
  }
}

/** For one that is not open in this host. A run is only active while a process works on it. */
export function unfinishedLine({ waiting, inOtherHost }: UnfinishedRun): string {
  switch (inOtherHost) {
    case "goes-on":
      return waiting > 0 ? "a run in another Hox is waiting for you" : "a run is in progress in another Hox";
    case "paused":
      return "a run is paused in another Hox";
    case null:
      return waiting > 0 ? `unfinished run, ${counted(waiting, "decision")} waiting` : "unfinished run";
  }
}
