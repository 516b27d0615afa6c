/** Moves in the queue: shown at once, written by the host, taken back with a reason when that fails. */
import { create } from "zustand";
import type { Change } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { writeEdit } from "../../state/edit-history.ts";
import { recordMetadata } from "../../state/graph-edits.ts";
import { changeOfKey, useGraph } from "../../state/graph-store.ts";
import { notifyFailure } from "../../state/notify.ts";
import { titleOf } from "../../state/take-back.ts";
import type { Band, PendingMove, Place } from "./queue-bands.ts";
import { bandsOf, moveTo, stepFrom, withPending } from "./queue-bands.ts";

interface QueueState {
  /** Asked for and not yet on the graph, oldest first. */
  readonly pending: readonly PendingMove[];
}

export const useQueue = create<QueueState>(() => ({ pending: [] }));

interface ReadBands {
  readonly graph: unknown;
  readonly pending: readonly PendingMove[];
  readonly bands: readonly Band[];
}

/** Whether the graph is known and has no task that waits: then the graph can have the room. */
export const useIsQueueEmpty = (): boolean =>
  useGraph(({ graph }) => graph !== null && shownBands().every(({ tasks }) => tasks.length === 0));

/** A drag asks with every move of the pointer, and hardly ever is anything else. */
let lastRead: ReadBands | null = null;

/** Whether a move of this task is being written. */
export const useIsMoving = (changeId: string | null): boolean =>
  useQueue(({ pending }) => pending.some((move) => move.changeId === changeId));

/** The queue as it is shown now. */
export function shownBands(): readonly Band[] {
  const { graph } = useGraph.getState();
  const { pending } = useQueue.getState();
  if (lastRead?.graph !== graph || lastRead.pending !== pending)
    lastRead = { graph, pending, bands: bandsOf(withPending(graph?.changes ?? [], pending)) };
  return lastRead.bands;
}

const forget = (move: PendingMove): void =>
  useQueue.setState((state) => ({ pending: state.pending.filter((other) => other !== move) }));

/** A written move arrives on the graph with the next event, at the latest after so long; until then it is shown as asked for. */
const arrivalMs = 30_000;

function rankOf(changeId: string): string {
  const metadata = changeNamed(changeId)?.metadata;
  return `${metadata?.priority} ${metadata?.rank}`;
}

/** @param before what the graph said when the move was asked for */
function graphMoved(changeId: string, before: string): Promise<void> {
  if (rankOf(changeId) !== before) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(done, arrivalMs);
    const stop = useGraph.subscribe(() => rankOf(changeId) !== before && done());
  });
}

/** Moves a task to a place of the bands as they are shown. */
export async function move(bands: readonly Band[], changeId: string, to: Place): Promise<void> {
  const wanted = moveTo(bands, changeId, to);
  if (wanted) await writeEdit(write(wanted));
}

async function write(wanted: PendingMove): Promise<void> {
  const { changeId } = wanted;
  useQueue.setState((state) => ({ pending: [...state.pending, wanted] }));
  const before = changeNamed(changeId);
  const rank = rankOf(changeId);
  try {
    await client.queue.move({ ...wanted, unranked: [...wanted.unranked] });
    await graphMoved(changeId, rank);
    recordMove(before, changeNamed(changeId));
  } catch (error) {
    notifyFailure("The task was not moved", error);
  } finally {
    forget(wanted);
  }
}

const changeNamed = (changeId: string): Change | null => {
  const { graph } = useGraph.getState();
  return graph && changeOfKey(graph, changeId);
};

/** Records a move by its resulting priority and rank on the graph. */
function recordMove(before: Change | null, after: Change | null): void {
  if (!before || !after) return;
  const { priority = null, rank = null } = after.metadata;
  const isMoved = priority !== (before.metadata.priority ?? null) || rank !== (before.metadata.rank ?? null);
  if (isMoved) recordMetadata(before, { priority, rank }, `the move of “${titleOf(before)}” in the queue`);
}

/** Moves a task one step up or down; answers whether there was somewhere to go. */
export function moveByStep(changeId: string, by: -1 | 1): boolean {
  const bands = shownBands();
  const to = stepFrom(bands, changeId, by);
  if (to) void move(bands, changeId, to);
  return to !== null;
}
