/** Moves in the queue: shown at once, written by the host, taken back with a reason when that fails. */
import { create } from "zustand";
import { client } from "../../client.ts";
import { recordWrite } from "../../state/edit-history.ts";
import { changeOfKey, untilOnScreen, useGraph } from "../../state/graph-store.ts";
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

/** Moves a task to a place of the bands as they are shown. */
export async function move(bands: readonly Band[], changeId: string, to: Place): Promise<void> {
  const wanted = moveTo(bands, changeId, to);
  if (wanted) await write(wanted);
}

/** Shown as asked for until the graph shows its operation. */
async function write(wanted: PendingMove): Promise<void> {
  const { graph } = useGraph.getState();
  const moved = graph && changeOfKey(graph, wanted.changeId);
  useQueue.setState((state) => ({ pending: [...state.pending, wanted] }));
  try {
    const sent = client.queue.move({ ...wanted, unranked: [...wanted.unranked] });
    const title = moved ? titleOf(moved) : wanted.changeId;
    const { operation } = await recordWrite(`the move of “${title}” in the queue`, sent);
    await untilOnScreen(operation);
  } catch (error) {
    notifyFailure("The task was not moved", error);
  } finally {
    forget(wanted);
  }
}

/** Moves a task one step up or down; answers whether there was somewhere to go. */
export function moveByStep(changeId: string, by: -1 | 1): boolean {
  const bands = shownBands();
  const to = stepFrom(bands, changeId, by);
  if (to) void move(bands, changeId, to);
  return to !== null;
}
