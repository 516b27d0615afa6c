/** The keys of the queue. Its cards are buttons, so Enter opens them. */
import type { KeyboardEvent } from "react";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { inspect, select } from "../../state/selection-store.ts";
import type { Band } from "./queue-bands.ts";
import { stepFrom } from "./queue-bands.ts";
import { move } from "./queue-store.ts";

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
    if (!to) return;
    void move(bands, changeId, to);
    // The card moves in the document; the focus must move with it.
    requestAnimationFrame(() =>
      document
        .querySelector<HTMLElement>(`[data-queue-card][data-change-id="${CSS.escape(changeId)}"]`)
        ?.focus(),
    );
  };

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
