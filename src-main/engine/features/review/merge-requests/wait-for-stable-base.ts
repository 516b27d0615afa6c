/** Whether what an agent stands on holds still: contracts or merged work below it may be corrected just then. */

import { waitUntil } from "../../../kernel/wait-until.ts";
import type { Run, RunReader, RunScreen, RunTurns } from "../../../ports.ts";
import { parentOf } from "../../../workers/hierarchy.ts";
import { isReopened, trunkOf } from "./trunk.ts";

/**
 * Waits while contracts or work that this one stands on are corrected by whoever made them: its files hold the other's
 * conflict meanwhile, and whatever is built on it would have to be built again.
 */
export async function waitForStableBase(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  await run.services.contracts.waitForContracts(worker, signal);
  const { changeId } = run.worker(worker).record;
  const parent = parentOf(run, worker);
  const unsettled = isReopened(run, parent).filter(({ name }) => name !== worker);
  if (changeId === null || unsettled.length === 0) return;
  const below = await run.repository.ancestorsAmong(
    unsettled.flatMap((one) => one.changeId ?? []),
    changeId,
  );
  const names = unsettled
    .filter((one) => below.some((change) => change.changeId === one.changeId))
    .map(({ name }) => name);
  if (names.length === 0) return;
  run.setActivity(worker, "waiting", `waiting for corrections to the work of ${names.join(", ")}`);
  await waitUntil(run, () => !isReopened(run, parent).some(({ name }) => names.includes(name)), signal);
}

/** Nothing is put on a trunk of which a part is being corrected; that part itself waits for nobody above it. */
export async function waitForStableTrunk(
  run: RunReader & RunScreen & RunTurns,
  worker: string,
  signal: AbortSignal,
): Promise<void> {
  const parent = parentOf(run, worker);
  const { changeId } = run.worker(worker).record;
  const holds = (): boolean =>
    trunkOf(run, parent).includes(changeId ?? "") || isReopened(run, parent).length === 0;
  if (holds()) return;
  run.setActivity(worker, "waiting", "waiting for corrections to merged work");
  await waitUntil(run, holds, signal);
}
