/**
 * Updates that happened while an orchestrator slept and do not wake it: delivered with its next event,
 * without an extra request, and kept until that event's answer is stored. (design section 6; HYLO-12,
 * HYLO-14)
 */
import type { AnyEvent } from "../any-event.ts";

/** The user's changes to the plan, and the results of children. */
export type NewsTopic = "plan" | "children";

/** Updates that an orchestrator has not received, oldest first. Plain JSON. */
export type News = Readonly<Record<NewsTopic, readonly string[]>>;

export const noUpdates: News = { plan: [], children: [] };

/** By name of the orchestrator. */
export type NewsOfRun = Readonly<Record<string, News>>;

export type NewsEvent = { readonly orchestrator: string; readonly topic: NewsTopic } & (
  | { readonly kind: "NewsAdded"; readonly lines: readonly string[] }
  /** It knows the first `count` of them. */
  | { readonly kind: "NewsTold"; readonly count: number }
);

/** The event that adds lines, to be stored together with their cause; nothing if there are none. */
export const newsFor = (
  orchestrator: string,
  topic: NewsTopic,
  lines: readonly string[],
): readonly NewsEvent[] => (lines.length === 0 ? [] : [{ kind: "NewsAdded", orchestrator, topic, lines }]);

/** Adds an event. What comes in while a prompt is on its way waits for the next one. */
export function reduceNews(before: NewsOfRun, given: NewsEvent | AnyEvent): NewsOfRun {
  const event = given as NewsEvent;
  if (event.kind !== "NewsAdded" && event.kind !== "NewsTold") return before;
  const { orchestrator, topic } = event;
  const own = (Object.hasOwn(before, orchestrator) ? before[orchestrator] : undefined) ?? noUpdates;
  const lines =
    event.kind === "NewsAdded" ? [...own[topic], ...event.lines] : own[topic].slice(Math.max(event.count, 0));
  return lines.length === own[topic].length
    ? before
    : { ...before, [orchestrator]: { ...own, [topic]: lines } };
}
