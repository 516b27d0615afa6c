/**
 * Where finished work lies: each orchestrator has a trunk, its contracts and decisions and then the folds that were
 * merged, one change each. Siblings take it in between iterations, where that leaves nothing in conflict; what
 * would conflict stays beside and meets the rest in the integration. (design section 6; HYLO-8, HYLO-14)
 */
import type { FoldPlace } from "#shared/domain/merge-request/fold.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Run, RunGraph, RunReader, RunWriter } from "../ports.ts";
import { parentOf } from "../workers/hierarchy.ts";
import { save } from "./save-workspace.ts";

/** Change ids of the folds on an orchestrator's trunk that are still on the graph, the lowest first. */
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
  // Work that was merged and then taken up again stands in the trunk already.
  return changeId === null || trunk.includes(changeId) || isReopened(run, orchestrator).length > 0
    ? null
    : (trunk.at(-1) ?? null);
};

/** True while something was merged that a worker has not tried to take in. Costs no process. */
const isBehind = (run: RunReader, worker: string): boolean => {
  if (run.config.fold.strategy === "merge") return false;
  const tip = tipFor(run, worker);
  return tip !== null && run.worker(worker).record.trunkSync?.tip !== tip;
};

/**
 * Puts a worker's change on the trunk, if a dry run leaves nothing in conflict, and brings its files up to date. To be
 * called between the worker's iterations. `again` also tries what would have conflicted before: it may not any more.
 * @returns titles of what came in with it, and where the change stands now
 */
export async function rebaseOntoTrunk(
  run: Run,
  worker: string,
  again = false,
): Promise<{ readonly news: readonly string[]; readonly place: FoldPlace }> {
  const { record } = run.worker(worker);
  const { changeId, trunkSync } = record;
  // A part is merged with all its history, in the integration.
  const merges = run.config.fold.strategy === "merge" || roles[record.role].isLead;
  if (changeId === null || merges) return { news: [], place: "beside" };
  const tip = tipFor(run, worker);
  if (tip === null) return { news: [], place: "trunk" };
  if (trunkSync?.tip === tip && (trunkSync.place === "trunk" || !again))
    return { news: [], place: trunkSync.place };

  const workspace = run.workspaces.of(worker);
  if (workspace) await save(workspace);
  const below = await run.repository.parentsOf(changeId);
  const wanted = await run.repository.headsOf([...below.map(({ commitId }) => commitId), tip]);
  const stands = same(below, wanted);
  if (!stands && (await wouldConflict(run, changeId, wanted))) {
    run.append({ kind: "TrunkSynced", worker, took: { tip, place: "beside" }, news: [] });
    return { news: [], place: "beside" };
  }
  if (!stands) {
    await run.repository.rebase({
      source: changeId,
      onto: wanted.map((change) => change.changeId),
      actor: worker,
    });
    await workspace?.updateStale({ actor: worker });
  }
  const news = newsBetween(run, worker, trunkSync?.place === "trunk" ? trunkSync.tip : null, tip);
  run.append({ kind: "TrunkSynced", worker, took: { tip, place: "trunk" }, news });
  return { news, place: "trunk" };
}

/**
 * Takes in between iterations what siblings merged meanwhile; nothing and no process while nobody did. Whoever has a
 * conflict of its own to resolve does that first, and an integrator stands on everything anyway. (HYLO-8)
 * @returns whether its change stands on other ground than before
 */
export async function syncWithTrunk(run: Run, worker: string, again = false): Promise<boolean> {
  const { conflict, trunkSync, role } = run.worker(worker).record;
  if (!roles[role].canWriteTask || conflict !== null) return false;
  if (!isBehind(run, worker) && !(again && trunkSync?.place === "beside")) return false;
  const { news, place } = await rebaseOntoTrunk(run, worker, again);
  if (news.length > 0)
    run.appendTranscript(worker, {
      kind: "notice",
      text: `Merged from others: ${news.map((one) => one.split("\n")[0]).join("; ")}`,
    });
  return place === "trunk";
}

const same = (one: readonly Change[], other: readonly Change[]): boolean =>
  one.length === other.length && one.every((change) => other.some((its) => its.commitId === change.commitId));

/** Tried on the graph as it is, where nobody sees it. What is in conflict already is none of the trunk's doing. */
async function wouldConflict(run: RunGraph, changeId: string, onto: readonly Change[]): Promise<boolean> {
  const change = await run.repository.change(changeId);
  const isOnSound = onto.every(({ conflict }) => !conflict) && onto.length === 1;
  // Whoever has not begun brings nothing that could collide.
  if (
    change &&
    isOnSound &&
    !change.conflict &&
    (await run.repository.changedPaths(change.commitId)).length === 0
  )
    return false;
  const { operation } = await run.repository.dryRun({
    kind: "rebase",
    source: changeId,
    onto: onto.map((change) => change.changeId),
  });
  return (await run.repository.change(changeId, { operation }))?.conflict === true;
}

/** What was merged after one tip, up to another, in words for the agent. */
function newsBetween(run: RunReader, worker: string, after: string | null, tip: string): readonly string[] {
  const trunk = trunkOf(run, parentOf(run, worker));
  return trunk
    .slice(after === null ? 0 : trunk.indexOf(after) + 1, trunk.indexOf(tip) + 1)
    .flatMap((change) => {
      const merged = [...run.workers.values()].find(({ record }) => record.changeId === change)?.record;
      return merged ? [`${merged.title} (${merged.name}): ${merged.summary}`] : [];
    });
}

/** The trunk ends with this change from now on. To be kept together with the fold that was merged. */
export function extendTrunk(run: RunReader & RunWriter, worker: string): void {
  const { changeId } = run.worker(worker).record;
  if (changeId !== null) run.append({ kind: "TrunkExtended", orchestrator: parentOf(run, worker), changeId });
}

/**
 * Merged work is taken up again: where nobody else's stands on it, it leaves the trunk, so that the others go on
 * without it. Else it stays, and is corrected below them.
 */
export async function removeFromTrunk(run: RunReader & RunWriter & RunGraph, worker: string): Promise<void> {
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
