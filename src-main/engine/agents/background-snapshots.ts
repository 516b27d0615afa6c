import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Recorded } from "../../jj/ports/working-copies.ts";
import { explain } from "../engine-errors.ts";
import { afterTime, type Later } from "../graph-sync/radar.ts";
import type { Run, RunReader } from "../ports.ts";
import { parentOf, workersOnTask } from "../workers/hierarchy.ts";
import type { CheckoutHandle, WorkspaceHandle } from "../workspaces/workspace-interface.ts";

/** Writes that follow each other closely are one snapshot. */
const settleMs = 2_000;
/** An agent that keeps writing is recorded this long after its first write, behind the work that jj has then. */
const maxWaitMs = 5_000;
/** jj has other work: then it is asked again. */
const busyMs = 250;

/**
 * Records an agent's files within seconds while it works, so that the radar sees work as it is written. Never in its
 * way: one at a time per run, behind everything else that jj has to do, and dropped when the agent's own save comes
 * first. It only records: what is protected, stale or on a wrong change is the turn boundary's.
 */
export function createBackgroundSnapshots(
  run: Run,
  worker: string,
  {
    workspace,
    onRecorded,
    later = afterTime,
  }: {
    readonly workspace: Pick<WorkspaceHandle, "snapshotInBackground" | "isQueueBusy">;
    /** Hears what was recorded, if that changed anything. */
    readonly onRecorded: (recorded: Recorded) => void;
    readonly later?: Later | undefined;
  },
) {
  let cancel: (() => void) | null = null;
  /** When the first write came that is not recorded yet. */
  let since: number | null = null;
  /** Another one after each drop: what waited for its turn until then is not wanted any more. */
  let wanted = {};
  let isWaiting = false;
  let running: Promise<void> | null = null;
  let notified = "";

  const isAllowed = (): boolean =>
    run.radar.hasCompany(worker) && run.lock.pendingReason(worker) === null && !isBuiltUpon(run, worker);
  const arm = (ms: number): void => {
    cancel?.();
    cancel = later(begin, ms);
  };
  const record = async (): Promise<void> => {
    const mine = wanted;
    let hasEnded = () => {};
    isWaiting = true;
    try {
      const recorded = await run.serial.run("background-snapshot", () =>
        workspace.snapshotInBackground({
          actor: worker,
          isWanted() {
            if (wanted !== mine || !isAllowed()) return false;
            // What is written from here on may be missing in it.
            since = null;
            running = new Promise((resolve) => {
              hasEnded = resolve;
            });
            return true;
          },
        }),
      );
      notified = "";
      if (recorded?.hasChanged) onRecorded(recorded);
    } catch (error) {
      const text = `Could not record the files of ${worker} while it works: ${explain(error).message} They are recorded when its turn ends.`;
      if (text !== notified) run.appendTranscript(worker, { kind: "notice", text });
      notified = text;
    } finally {
      isWaiting = false;
      running = null;
      hasEnded();
      if (since !== null) arm(settleMs);
    }
  };
  const begin = (): void => {
    cancel = null;
    if (since === null) return;
    // Nobody to collide with yet: asked again, which takes no process.
    if (!isAllowed()) arm(maxWaitMs);
    else if (workspace.isQueueBusy() && run.monotonic() - since < maxWaitMs) arm(busyMs);
    else void record();
  };

  return {
    /** A tool may have changed files. */
    wrote(): void {
      const now = run.monotonic();
      since ??= now;
      if (!isWaiting) arm(Math.max(0, Math.min(settleMs, since + maxWaitMs - now)));
    },
    /** Drops what waits for its turn; resolves when nothing is being recorded. */
    async giveWay(): Promise<void> {
      cancel?.();
      [cancel, since, wanted] = [null, null, {}];
      await running;
    },
  };
}

/** Others' changes would be rewritten with each snapshot, in the middle of their turns. */
function isBuiltUpon(run: RunReader, worker: string): boolean {
  const { task, changeId } = run.worker(worker).record;
  const { plan, trunk } = run.orchestratorFacts(parentOf(run, worker));
  const dependents = plan?.tasks.filter(({ after }) => task !== null && after.includes(task)) ?? [];
  return (
    (changeId !== null && trunk.includes(changeId)) ||
    dependents.some(({ id }) => workersOnTask(run, parentOf(run, worker), id).some(hasStarted))
  );
}

const hasStarted = ({ status }: WorkerRecord): boolean => status !== "open" && status !== "abandoned";

/** The same place, of which every tool's write and command is heard when it has ended. */
export function noticingWrites<Place extends CheckoutHandle>(place: Place, wrote: () => void): Place {
  const noticing =
    <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      write(...args).finally(wrote);
  return {
    ...place,
    run: noticing(place.run),
    files(rules) {
      const files = place.files(rules);
      const { writeText, move, remove } = files;
      return { ...files, writeText: noticing(writeText), move: noticing(move), remove: noticing(remove) };
    },
  };
}
