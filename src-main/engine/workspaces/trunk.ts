/**
 * Merged work: each orchestrator has a trunk of its contracts, its decisions and the merged tasks, one change
 * each. Siblings rebase onto it between iterations if that causes no conflict. Finished work comes onto it in
 * any case, and its agent resolves the conflict. (design section 6; HYLO-8, HYLO-14)
 */
import type { MergedSide } from "#shared/domain/conflict/conflict.ts";
import type { MergeRequestPlace } from "#shared/domain/merge-request/merge-request.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Run, RunReader } from "../ports.ts";
import { parentOf } from "../workers/hierarchy.ts";
import { save } from "./save-workspace.ts";

/** Change ids of the merge requests on an orchestrator's trunk that are still on the graph, the lowest first. */
export const trunkOf = (run: RunReader, orchestrator: string): readonly string[] =>
  run.orchestratorFacts(orchestrator).trunk.filter((change) => run.changes.has(change));

/** Agents of merged work on a trunk that is being worked on again, the lowest first. Costs no process. */
export const isReopened = (run: RunReader, orchestrator: string): readonly WorkerRecord[] =>
  trunkOf(run, orchestrator).flatMap((change) =>
    [...run.workers.values()].flatMap(({ record }) =>
      record.changeId === change && record.status !== "done" && record.status !== "abandoned" ? [record] : [],
    ),
  );

/** The change that a sibling takes in; null while nothing was merged, or what was merged is being corrected. */
const tipFor = (run: RunReader, worker: string): string | null => {
  const { changeId } = run.worker(worker).record;
  const orchestrator = parentOf(run, worker);
  const trunk = trunkOf(run, orchestrator);
  // Reopened work that was merged before is already in the trunk.
  return changeId === null || trunk.includes(changeId) || isReopened(run, orchestrator).length > 0
    ? null
    : (trunk.at(-1) ?? null);
};

/** True while something was merged that a worker has not tried to take in. Costs no process. */
const isBehind = (run: RunReader, worker: string): boolean => {
  if (run.config.mergeRequests.strategy === "merge") return false;
  const tip = tipFor(run, worker);
  return tip !== null && run.worker(worker).record.trunkSync?.tip !== tip;
};

/**
 * How work comes onto the trunk: `new` tries each tip once and takes no conflict in, `again` also retries what would have
 * conflicted before, `with-conflicts` takes the conflict in, for its agent to resolve.
 */
type Sync = "new" | "again" | "with-conflicts";

/**
 * Rebases a worker's change onto the trunk and updates its files. Call it between the worker's iterations. Unless it may
 * take conflicts in, a dry run first shows that there is none.
 * @returns titles of the new ancestors, and the change's new parents
 */
export async function rebaseOntoTrunk(
  run: Run,
  worker: string,
  sync: Sync = "new",
): Promise<{ readonly updates: readonly string[]; readonly place: MergeRequestPlace }> {
  const { record } = run.worker(worker);
  const { changeId, trunkSync } = record;
  // A part comes with all its history, as a merge of its result with the trunk.
  const isDeferred = roles[record.role].isLead && sync !== "with-conflicts";
  if (changeId === null || isDeferred || run.config.mergeRequests.strategy === "merge")
    return { updates: [], place: "beside" };
  const tip = tipFor(run, worker);
  if (tip === null) return { updates: [], place: "trunk" };
  if (trunkSync?.tip === tip && (trunkSync.place === "trunk" || sync === "new"))
    return { updates: [], place: trunkSync.place };

  const workspace = run.workspaces.of(worker);
  const below = await run.repository.parentsOf(changeId);
  const heads = await run.repository.headsOf([...below.map(({ commitId }) => commitId), tip]);
  // The trunk first, so that its first-parent history stays intact.
  const wanted = heads.toSorted(({ changeId: one }) => (one === tip ? -1 : 0));
  const stands = same(below, wanted);
  const takesConflicts = sync === "with-conflicts";
  if (stands) {
    if (workspace) await save(workspace);
  } else if (!(await isMovedOnto(run, worker, below, wanted, takesConflicts))) {
    run.append({ kind: "TrunkSynced", worker, took: { tip, place: "beside" }, updates: [] });
    return { updates: [], place: "beside" };
  }
  // Where it stands there and nothing says so, Hox was closed after the rebase.
  if (takesConflicts && record.conflict === null && (!stands || trunkSync?.place === "beside"))
    await findMergedSides(run, worker, stands ? [] : below, changeId);
  const updates = updatesBetween(run, worker, trunkSync?.place === "trunk" ? trunkSync.tip : null, tip);
  run.append({ kind: "TrunkSynced", worker, took: { tip, place: "trunk" }, updates });
  return { updates, place: "trunk" };
}

/**
 * Rebases onto what siblings merged, between iterations; no process if there is nothing new. A worker with a
 * conflict resolves that first, and an integrator is on top of everything anyway. (HYLO-8)
 * @returns whether its change has a new base
 */
export async function syncWithTrunk(
  run: Run,
  worker: string,
  sync: Exclude<Sync, "with-conflicts"> = "new",
): Promise<boolean> {
  const { conflict, trunkSync, role } = run.worker(worker).record;
  if (!roles[role].canWriteTask || conflict !== null) return false;
  if (!isBehind(run, worker) && !(sync === "again" && trunkSync?.place === "beside")) return false;
  const { updates, place } = await rebaseOntoTrunk(run, worker, sync);
  if (updates.length > 0)
    run.appendTranscript(worker, {
      kind: "notice",
      text: `Merged from others: ${updates.map((one) => one.split("\n")[0]).join("; ")}`,
    });
  return place === "trunk";
}

const same = (one: readonly Change[], other: readonly Change[]): boolean =>
  one.length === other.length && one.every((change) => other.some((its) => its.commitId === change.commitId));

/**
 * After work came onto the trunk with its conflicts: records whose merged work it meets.
 * @param below what it was built on before; empty if Hox was closed meanwhile
 */
async function findMergedSides(
  run: Run,
  worker: string,
  below: readonly Change[],
  changeId: string,
): Promise<void> {
  const change = await run.repository.change(changeId);
  if (!change?.conflict) return;
  const conflicted = (await run.repository.conflictedFiles(change.commitId)).map(({ path }) => path);
  const before = new Set(below.map((one) => one.changeId));
  const trunk = trunkOf(run, parentOf(run, worker));
  const merged = trunk.slice(trunk.findLastIndex((one) => before.has(one)) + 1);
  const against: MergedSide[] = [];
  for (const one of merged) {
    const name = workerOn(run, one)?.name;
    const commit = run.changes.get(one)?.commitId;
    if (name === undefined || commit === undefined) continue;
    const changed = new Set(await run.repository.changedPaths(commit));
    const files = conflicted.filter((path) => changed.has(path)).toSorted();
    if (files.length > 0) against.push({ worker: name, files });
  }
  if (against.length === 0) return;
  run.metrics.conflictMet(worker);
  run.append({ kind: "MergeConflictFound", worker, against });
}

const workerOn = (run: RunReader, changeId: string): WorkerRecord | undefined =>
  [...run.workers.values()].find(({ record }) => record.changeId === changeId)?.record;

/**
 * Moves a worker's change onto others, with its files. Unless it takes conflicts with it, one that would be in conflict
 * there stays where it is, with its files recorded.
 */
async function isMovedOnto(
  run: Run,
  worker: string,
  from: readonly Change[],
  onto: readonly Change[],
  takesConflicts: boolean,
): Promise<boolean> {
  const { record } = run.worker(worker);
  const changeId = record.changeId ?? "";
  const workspace = run.workspaces.of(worker);
  if (!takesConflicts && (await wouldConflict(run, changeId, from, onto))) {
    if (workspace) await save(workspace);
    return false;
  }
  const move = async (parents: readonly Change[]): Promise<void> => {
    const rebase = {
      ...{ source: changeId, onto: parents.map((change) => change.changeId), actor: worker },
      // Not one whose agent waits for its next turn.
      canWait: record.status === "review" || record.status === "done",
    };
    await (workspace ? workspace.rebase(rebase) : run.repository.rebase(rebase));
  };
  await move(onto);
  if (takesConflicts) return true;
  // With what was written since its files were last recorded, or was written by others just now.
  if ((await run.repository.change(changeId))?.conflict !== true) return true;
  await move(from);
  return false;
}

/**
 * Whether a change would be in conflict on others, as it is recorded. No process where it and they have no file in common;
 * otherwise an unpublished dry run on the current graph. Existing conflicts do not count.
 */
async function wouldConflict(
  run: Run,
  changeId: string,
  from: readonly Change[],
  onto: readonly Change[],
): Promise<boolean> {
  const change = await run.repository.change(changeId);
  if (change && !change.conflict && (await isApart(run, change, from, onto))) return false;
  const { operation } = await run.repository.dryRun({
    kind: "rebase",
    source: changeId,
    onto: onto.map((change) => change.changeId),
  });
  return (await run.repository.change(changeId, { operation }))?.conflict === true;
}

/** Beyond it one dry run costs less than to look at each. */
const maxCompared = 200;

/** Whether a change shares no file with what leads from its parent to another commit, as far as that is certain. */
async function isApart(
  { repository }: Run,
  change: Change,
  [from, ...otherParents]: readonly Change[],
  [onto, ...otherDestinations]: readonly Change[],
): Promise<boolean> {
  if (!from || !onto || otherParents.length + otherDestinations.length > 0) return false;
  if (from.conflict || onto.conflict) return false;
  const own = await repository.changedPaths(change.commitId);
  // An agent that has not started has nothing that could conflict.
  if (own.length === 0) return true;
  const span = await repository.changesBetween([{ from: from.changeId, to: onto.changeId }]);
  const merged = span.filter(({ commitId }) => commitId !== from.commitId);
  // A merge could bring what none of these changes holds.
  const isLine = merged.length === span.length - 1 && merged.every(({ parents }) => parents.length === 1);
  if (!isLine || merged.length === 0 || merged.length > maxCompared) return false;
  for (const { commitId } of merged)
    if (shareFiles(own, await repository.changedPaths(commitId))) return false;
  return true;
}

/** Whether two lists of paths have one in common, or one that is a folder in the other. */
function shareFiles(one: readonly string[], other: readonly string[]): boolean {
  const isIn = (path: string, paths: ReadonlySet<string>): boolean =>
    path.split("/").some((_, at, parts) => paths.has(parts.slice(0, at + 1).join("/")));
  const [ones, others] = [new Set(one), new Set(other)];
  return one.some((path) => isIn(path, others)) || other.some((path) => isIn(path, ones));
}

/** What was merged after one tip, up to another, in words for the agent. */
function updatesBetween(
  run: RunReader,
  worker: string,
  after: string | null,
  tip: string,
): readonly string[] {
  const trunk = trunkOf(run, parentOf(run, worker));
  return trunk
    .slice(after === null ? 0 : trunk.indexOf(after) + 1, trunk.indexOf(tip) + 1)
    .flatMap((change) => {
      const merged = workerOn(run, change);
      return merged ? [`${merged.title} (${merged.name}): ${merged.summary}`] : [];
    });
}

/** The trunk ends with this change from now on. To be kept together with the merge request that was merged. */
export function extendTrunk(run: Run, worker: string): void {
  const { changeId } = run.worker(worker).record;
  if (changeId !== null) run.append({ kind: "TrunkExtended", orchestrator: parentOf(run, worker), changeId });
}

/**
 * Reopens merged work: it leaves the trunk if nothing depends on it, so that the others can continue.
 * Otherwise it stays and is corrected in place.
 */
export async function removeFromTrunk(run: Run, worker: string): Promise<void> {
  const { changeId } = run.worker(worker).record;
  const orchestrator = parentOf(run, worker);
  if (changeId === null || !trunkOf(run, orchestrator).includes(changeId)) return;
  const above = await run.repository.descendantsOf(changeId);
  const stands = [...run.workers.values()].some(
    ({ record }) => record.status !== "open" && above.some((change) => change.changeId === record.changeId),
  );
  if (stands) return;
  if (changeId !== null) run.append({ kind: "TrunkLeft", orchestrator, changeId });
}
