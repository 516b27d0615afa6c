/** Moves in the queue: shown at once, written by the host, taken back with a reason when that fails. */

import type { KeyboardEvent } from "react";
import { create } from "zustand";
import { client } from "../../client.ts";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { recordWrite } from "../../state/edit-history.ts";
import { changeOfKey, untilOnScreen, useGraph } from "../../state/graph-store.ts";
import { notifyFailure } from "../../state/notify.ts";
import { isRefused } from "../../state/role.ts";
import { inspect, select } from "../../state/selection-store.ts";
import { titleOf } from "../../state/take-back-landing.tsx";
import {
  type Band,
  bandsOf,
  moveTo,
  type PendingMove,
  type Place,
  stepFrom,
  withPending,
} from "./queue-bands.ts";

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

interface QueuePlace {
  readonly list: HTMLElement;
  readonly card: HTMLElement;
  readonly changeId: string;
  readonly bands: readonly Band[];
}

const walk =
  (by: -1 | 1) =>
  ({ list, card }: QueuePlace): void => {
    const cards = [...list.querySelectorAll<HTMLElement>("[data-queue-card]")];
    const next = cards[cards.indexOf(card) + by];
    if (!next) return;
    next.focus();
    select(next.dataset.changeId ?? null);
  };

const carry =
  (by: -1 | 1) =>
  ({ changeId, bands }: QueuePlace): void => {
    const to = stepFrom(bands, changeId, by);
    if (!to || isRefused("queue.move")) return;
    void move(bands, changeId, to);
    // The card moves in the document; the focus must move with it.
    requestAnimationFrame(() =>
      document
        .querySelector<HTMLElement>(`[data-queue-card][data-change-id="${CSS.escape(changeId)}"]`)
        ?.focus(),
    );
  };

/** The keys of the queue. Its cards are buttons, so Enter opens them. */
export const queueKeys: KeyTable<QueuePlace> = {
  place: "In the queue",
  rows: [
    { keys: "ArrowUp", what: "the previous task", run: walk(-1) },
    { keys: "ArrowDown", what: "the next task", run: walk(1) },
    { keys: "alt+ArrowUp", what: "move the task up", run: carry(-1) },
    { keys: "alt+ArrowDown", what: "move the task down", run: carry(1) },
    { keys: "Enter", what: "show in the inspector", run: ({ changeId }) => inspect(changeId) },
  ],
};

export function pressInQueue(event: KeyboardEvent<HTMLElement>, bands: readonly Band[]): void {
  const card =
    event.target instanceof Element ? event.target.closest<HTMLElement>("[data-queue-card]") : null;
  const changeId = card?.dataset.changeId;
  if (card && changeId) takeKey(queueKeys, event, { list: event.currentTarget, card, changeId, bands });
}
