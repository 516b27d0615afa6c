import type { Change } from "#shared/graph/change.ts";
import { dropWithdrawn } from "../decisions/withdrawn-decisions.ts";
import { tellFold } from "../folds/fold.ts";
import { followConflicts } from "../graph-sync/conflict-causes.ts";
import { runRevset } from "../graph-sync/run-revset.ts";
import { parentOf, workersBelow } from "../orchestrators/chain-of-command.ts";
import { withdrawQuestions } from "../orchestrators/withdraw-questions.ts";
import { readPlansByHand } from "../planning/plan-by-hand.ts";
import { plansNow, readWordsByHand, restoreMetadata } from "../planning/words-by-hand.ts";
import type { Run } from "../ports.ts";
import { readStatusesByHand } from "../steering/statuses-said.ts";

/**
 * Reads the run's changes anew and takes over what a person did to them by hand: another priority or rank, other words,
 * another parent, an abandoned task. Divergence, which two writers at the same moment can make, is mended.
 */
export async function refreshChanges(run: Run): Promise<void> {
  const plans = plansNow(run);
  let ours = await readOurs(run);
  if (await restoreMetadata(run, ours)) ours = await readOurs(run);
  const conflicts = conflictsIn(run.changes.values());
  run.changes = new Map(ours.map((change) => [change.changeId, change]));
  run.radar.look();
  for (const worker of run.workers.values()) {
    const { record } = worker;
    if (record.task === null || record.changeId === null) continue;
    const change = run.changes.get(record.changeId);
    if (!change) {
      // A rewrite by hand may have dropped the trailer; only a change that is gone was abandoned.
      const [still] = await run.repository.query(`present(${record.changeId})`, { limit: 1 });
      if (still) continue;
      if (record.status !== "abandoned") abandonTask(run, record.name, record.task);
      continue;
    }
    run.append({ kind: "RankChanged", worker: record.name, rank: change.metadata.rank ?? "" });
  }
  readStatusesByHand(run);
  readWordsByHand(run, plans);
  run.slots.look();
  readPlansByHand(run);
  await dropWithdrawn(run);
  await followConflicts(run);
  if (conflictsIn(run.changes.values()) === conflicts) return;
  // Whoever has to resolve one begins, and whoever waited for that goes on.
  run.waiters.wake();
  run.pump();
}

/** The run's changes as jj has them, each once where nobody contradicts another. */
async function readOurs(run: Run): Promise<readonly Change[]> {
  let found = await run.repository.query(runRevset(run));
  if (found.some((change) => change.divergent)) {
    await run.divergence.mend(runRevset(run));
    found = await run.repository.query(runRevset(run));
  }
  // jj finds the line anywhere; a body that quotes it is not of this run.
  return found.filter((change) => change.metadata.run === run.id);
}

const conflictsIn = (changes: Iterable<Change>): string =>
  [...changes]
    .flatMap(({ changeId, conflict }) => (conflict ? [changeId] : []))
    .toSorted()
    .join();

/** Nobody works on it any more, or on what was made of it, and nobody needs to answer what was asked there. */
function abandonTask(run: Run, worker: string, task: string): void {
  run.dispatch({ kind: "TaskAbandoned", task }, parentOf(run, worker));
  const gone = [worker, ...workersBelow(run, worker).map(({ record }) => record.name)];
  for (const name of gone) {
    run.append({ kind: "WorkAbandoned", worker: name });
    tellFold(run, name, { kind: "Withdrawn" });
    run.show(name, "failed", "its task was abandoned");
    withdrawQuestions(run, name, "The task of the one who asked was abandoned.");
    run.inbox.withdraw(
      (item) => (item.kind === "trouble" || item.kind === "protected") && item.worker === name,
      "The task was abandoned.",
    );
  }
}
