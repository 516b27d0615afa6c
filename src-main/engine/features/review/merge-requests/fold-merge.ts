/** From an approval to the trunk: one fold at a time, and checked on what it comes to stand on. (HYLO-8) */
import { isGreen } from "#shared/domain/merge-request/fold.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { hasUnread } from "../../../orchestrators/messages.ts";
import type { Run, RunGraph } from "../../../ports.ts";
import { applyFoldEvent, foldOf } from "../../../workers/fold.ts";
import { parentOf } from "../../../workers/hierarchy.ts";
import { notePassed } from "../../../workspaces/check-options.ts";
import { checkFresh } from "../../../workspaces/checks-in-checkout.ts";
import { isSentToResolve } from "./fold-conflict.ts";
import { extendTrunk, rebaseOntoTrunk } from "./trunk.ts";

/**
 * Merges approved work, or sends it back when it does not hold on the trunk. One at a time for each orchestrator: what was
 * checked is what the next one stands on. May begin again at any point.
 */
export function mergeFold(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  return run.serial.run(`merge/${parentOf(run, worker)}`, async () => {
    if (signal.aborted || run.held()) throw new Interrupted();
    const { state, round } = foldOf(run, worker);
    if (state.stage !== "approved") return;
    if (hasUnread(run, worker, [])) {
      // What a person wrote meanwhile is not passed over; the agent reads it with its next prompt.
      applyFoldEvent(run, worker, {
        kind: "Reviewed",
        review: { round, by: "person", verdict: "changes", words: "" },
      });
      return;
    }
    run.setActivity(worker, "checking", "is merged");
    const place = await run.lock.withShared(worker, async () => {
      const { place } = await rebaseOntoTrunk(run, worker, true);
      return place;
    });
    const changeId = run.worker(worker).record.changeId ?? "";
    const change = await readChange(run, changeId);
    if (await isSentToResolve(run, worker, change)) return;
    const { commitId } = change;
    if (!(await holdsThere(run, worker, state.commit, commitId, signal))) return;
    await run.lock.withShared(worker, async () => {
      // A decision may have come between: then it is looked at again, on that ground.
      if (foldOf(run, worker).state.stage !== "approved") return;
      const now = await readChange(run, changeId);
      if (now.commitId !== commitId && (await differs(run, commitId, now.commitId))) return;
      await run.repository.setMetadata([{ change: changeId, patch: { status: "done" } }], { actor: worker });
      await run.refreshChanges();
      // What goes with it, the fold that comes of it decides.
      run.journal.together(() => {
        const merged = applyFoldEvent(run, worker, { kind: "Merged", round, place });
        if (merged.state.stage === "merged" && place === "trunk") extendTrunk(run, worker);
        if (merged.state.stage === "merged") notePassed(run, merged.checks, "result");
      });
    });
  });
}

/** Whether the checks pass on the files as they are now; they are run again only when those are not what was checked. */
async function holdsThere(
  run: Run,
  worker: string,
  checked: string,
  commit: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { state, checks, round } = foldOf(run, worker);
  // A person who accepts what fails has seen it.
  if (state.stage === "approved" && state.by === "person" && !isGreen(checks)) return true;
  if (commit === checked || !(await differs(run, checked, commit))) return true;
  const results = await checkFresh(run, worker, commit, signal);
  applyFoldEvent(run, worker, { kind: "Checked", round, checks: results }, results);
  return isGreen(results);
}

const differs = async (run: RunGraph, from: string, commit: string): Promise<boolean> =>
  (await run.repository.diff({ from, commit })) !== "";
