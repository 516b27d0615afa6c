/** A conversation as it is read: answers of tools beside their calls, and what a person wrote where it was written. */

import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { matchesAddress } from "#shared/domain/graph-words/address.ts";
import type { MessageView } from "#shared/domain/messages/join-messages.ts";
import { callsWithResults, type SpokenRow } from "./call-outcome.ts";

export type ConversationItem = SpokenRow | { readonly kind: "message"; readonly message: MessageView };

/** How a person signs what is written to a worker. */
const person = "user";

/** What a person and this worker wrote to each other. @param address `O-A-1`, `O-A-1/agent-2` */
export function messagesWithPerson(
  messages: readonly MessageView[],
  worker: string,
  address: string,
): readonly MessageView[] {
  const [orchestrator = "", agent = null] = address.split("/");
  return messages.filter(
    ({ from, to }) =>
      (from === person && matchesAddress(to, { orchestrator, agent })) || (from === worker && to === person),
  );
}

/** Its latest possible time: reading a message rewrites its change. */
export const sentAt = ({ at, delivered = [] }: MessageView): number =>
  Math.min(at, ...delivered.map((one) => one.at));

/** Rows and messages in one order, in time as far as the rows are. */
export function conversationItems(
  rows: readonly ConversationRow[],
  messages: readonly MessageView[],
): readonly ConversationItem[] {
  const waiting = messages.toSorted((one, other) => sentAt(one) - sentAt(other));
  const items: ConversationItem[] = [];
  let next = 0;
  for (const spoken of callsWithResults(rows)) {
    const { at } = spoken.kind === "call" ? spoken.call : spoken.row;
    for (let message = waiting[next]; message && sentAt(message) < at; message = waiting[++next])
      items.push({ kind: "message", message });
    items.push(spoken);
  }
  return [...items, ...waiting.slice(next).map((message) => ({ kind: "message" as const, message }))];
}

/** Where a message is on its way to one worker. */
export type Delivery =
  | { readonly kind: "waits" }
  | { readonly kind: "delivered"; readonly at: number }
  | { readonly kind: "read" };

export function deliveryTo(worker: string, message: MessageView): Delivery {
  if (message.handled) return { kind: "read" };
  const got = message.delivered?.find((one) => one.worker === worker);
  return got ? { kind: "delivered", at: got.at } : { kind: "waits" };
}
