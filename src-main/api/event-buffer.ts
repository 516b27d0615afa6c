import type { HostEvent } from "#shared/contract/events.ts";
import type { Change } from "#shared/graph/change.ts";

/** Of these only the newest counts: a client that is behind skips the older ones. */
const replacing: ReadonlySet<HostEvent["kind"]> = new Set([
  "app",
  "open-repositories",
  "run",
  "inbox",
  "messages",
  "operations",
  "repository-view",
]);

/** The newest events by their numbers, as many as may be held. */
export interface EventBuffer {
  /** Number of the newest event. */
  last(): number;
  push(event: HostEvent): void;
  /** Whether nothing is missing between this number and the newest. */
  goesOnAfter(number: number): boolean;
  /** The event that follows; null where a newer one has replaced it, undefined where there is none yet. */
  after(number: number): HostEvent | null | undefined;
  /** Lets go of all events; their numbers stay taken. */
  clear(): void;
}

export function createEventBuffer({
  start,
  maxEvents,
  maxWeight,
}: {
  readonly start: number;
  readonly maxEvents: number;
  readonly maxWeight: number;
}): EventBuffer {
  const newest = new Map<HostEvent["kind"], number>();
  /** Null once a newer one has replaced it: its number stays taken, its content need not. */
  let events: { readonly event: HostEvent | null; readonly weight: number }[] = [];
  /** Number of the event before the first that is held. */
  let before = start;
  let weight = 0;

  const last = (): number => before + events.length;
  const release = (index: number): void => {
    const held = events[index];
    if (!held) return;
    weight -= held.weight;
    events[index] = { event: null, weight: 0 };
  };
  const dropOldest = (): void => {
    let drop = 0;
    while (events.length - drop > 1 && (events.length - drop > maxEvents || weight > maxWeight)) {
      weight -= events[drop]?.weight ?? 0;
      drop++;
    }
    if (drop > 0) {
      events.splice(0, drop);
      before += drop;
    }
  };

  return {
    last,
    push(event) {
      const own = weigh(event);
      events.push({ event, weight: own });
      weight += own;
      if (replacing.has(event.kind)) {
        release((newest.get(event.kind) ?? 0) - before - 1);
        newest.set(event.kind, last());
      }
      dropOldest();
    },
    goesOnAfter: (number) => number >= before && number <= last(),
    after: (number) => events[number - before]?.event,
    clear() {
      before = last();
      events = [];
      weight = 0;
    },
  };
}

/**
 * Roughly the characters on the wire: all texts, and something for the rest. What an agent wrote may be of any length,
 * so nothing is taken for short.
 */
function weigh(event: HostEvent): number {
  switch (event.kind) {
    case "graph-part":
      return 500 + weightOfChanges(event.changes);
    case "graph-delta":
      return 500 + weightOfChanges(event.delta.added) + event.delta.removed.length * 50;
    default:
      return textIn(event);
  }
}

/** These come by the hundred thousand and are flat. */
const weightOfChanges = (changes: readonly Change[]): number =>
  changes.reduce((sum, change) => sum + 350 + change.description.length, 0);

function textIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let sum = 20;
  for (const each of Array.isArray(value) ? value : Object.values(value)) sum += 20 + textIn(each);
  return sum;
}
