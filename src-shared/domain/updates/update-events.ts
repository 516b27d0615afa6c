/**
 * Updates that happened while an orchestrator slept and do not wake it: delivered with its next event,
 * without an extra request, and kept until that event's answer is stored. (design section 6; HYLO-12,
 * HYLO-14)
 */
import type { AnyEvent } from "../any-event.ts";

/** The user's changes to the plan, the results of children, and what other active runs do. */
export type UpdateTopic = "plan" | "children" | "runs";

/** Updates that an orchestrator has not received, oldest first. Plain JSON. */
export type Updates = Readonly<Record<UpdateTopic, readonly string[]>>;

export const noUpdates: Updates = { plan: [], children: [], runs: [] };

/** By name of the orchestrator. */
export type QueuedUpdates = Readonly<Record<string, Updates>>;

export type UpdateEvent = { readonly orchestrator: string; readonly topic: UpdateTopic } & (
  | { readonly kind: "UpdatesQueued"; readonly lines: readonly string[] }
  /** It knows the first `count` of them. */
  | { readonly kind: "UpdatesDelivered"; readonly count: number }
);

/** The event that adds lines, to be stored together with their cause; nothing if there are none. */
export const updatesFor = (
  orchestrator: string,
  topic: UpdateTopic,
  lines: readonly string[],
): readonly UpdateEvent[] =>
  lines.length === 0 ? [] : [{ kind: "UpdatesQueued", orchestrator, topic, lines }];

/** Adds an event. What comes in while a prompt is on its way waits for the next one. */
export function reduceUpdates(before: QueuedUpdates, given: UpdateEvent | AnyEvent): QueuedUpdates {
  const event = given as UpdateEvent;
  if (event.kind !== "UpdatesQueued" && event.kind !== "UpdatesDelivered") return before;
  const { orchestrator, topic } = event;
  const own = (Object.hasOwn(before, orchestrator) ? before[orchestrator] : undefined) ?? noUpdates;
  const lines =
    event.kind === "UpdatesQueued"
      ? [...own[topic], ...event.lines]
      : own[topic].slice(Math.max(event.count, 0));
  return lines.length === own[topic].length
    ? before
    : { ...before, [orchestrator]: { ...own, [topic]: lines } };
}
