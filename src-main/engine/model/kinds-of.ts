import type { ModelEvent } from "./run-events.ts";

/** Tells the events of one concept from all others: every kind of it has to be named. */
export const kindsOf =
  <Event extends ModelEvent>(kinds: Readonly<Record<Event["kind"], true>>) =>
  (event: ModelEvent): event is Event =>
    Object.hasOwn(kinds, event.kind);
