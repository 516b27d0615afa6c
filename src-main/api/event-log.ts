import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
import type { Change } from "#shared/graph/change.ts";

export interface EventLogOptions {
  /** Everything a client needs to start from now on, taken in one go. */
  readonly snapshot: () => readonly HostEvent[];
  /** Numbers start here. Later than any number of an earlier host, so that its clients get a snapshot. */
  readonly start?: number;
  readonly maxEvents?: number;
  /** Rough characters that may be held for clients that are behind. */
  readonly maxWeight?: number;
}

/**
 * One list of numbered events: of a repository that is open, or of a host where none is shown. Clients read it at their own pace through a cursor; nothing is queued
 * per client, so a slow or vanished one costs no memory: when the events it wants are gone it gets a snapshot.
 */
export interface EventLog {
  /** Number before its first event: a client at or after it can continue. */
  readonly start: number;
  /** Number of the newest event. */
  readonly last: number;
  /** Whether a client can continue after this number. */
  goesOnAfter(number: number): boolean;
  /** What was published after a number, as far as it is held. */
  after(number: number): readonly HostEvent[];
  publish(event: HostEvent): void;
  /** Forgets what clients missed: the next thing each of them reads is a snapshot, unless it is up to date. */
  forget(): void;
  close(): void;
  /**
   * Continues after `since`, or starts with a snapshot if it is null or too old. The events of a snapshot are
   * numbered 0 except the last: a client that is disconnected inside it asks for a new one.
   */
  read(since: number | null, signal?: AbortSignal): AsyncGenerator<NumberedEvent, void, void>;
}

export function createEventLog({
  snapshot,
  start = Date.now() * 1000,
  maxEvents = 4096,
  maxWeight = 32_000_000,
}: EventLogOptions): EventLog {
  const buffer = createEventBuffer({ start, maxEvents, maxWeight });
  const news = createNews();
  let isClosed = false;

  return {
    start,
    get last() {
      return buffer.last();
    },
    goesOnAfter: buffer.goesOnAfter,
    after(number) {
      const events: HostEvent[] = [];
      for (let at = number; at < buffer.last(); at++) {
        const event = buffer.after(at);
        if (event) events.push(event);
      }
      return events;
    },
    publish(event) {
      if (isClosed) return;
      buffer.push(event);
      news.tell();
    },
    forget: buffer.clear,
    close() {
      isClosed = true;
      news.tell();
    },
    async *read(since, signal) {
      let cursor = since;
      while (!isClosed && !signal?.aborted) {
        if (cursor === null || !buffer.goesOnAfter(cursor)) {
          const at = buffer.last();
          const events = snapshot();
          for (const [index, event] of events.entries()) {
            if (signal?.aborted) return;
            yield { seq: index === events.length - 1 ? at : 0, event };
          }
          cursor = at;
          continue;
        }
        const next = buffer.after(cursor);
        if (next === undefined) {
          await news.wait(signal);
          continue;
        }
        cursor++;
        if (next !== null) yield { seq: cursor, event: next };
      }
    },
  };
}

/** Of these only the newest counts: a client that is behind skips the older ones. */
const replacing: ReadonlySet<HostEvent["kind"]> = new Set([
  "app",
  "open-repositories",
  "inbox",
  "repository-view",
]);

/** The newest events by their numbers, up to a limit. */
function createEventBuffer({
  start,
  maxEvents,
  maxWeight,
}: {
  readonly start: number;
  readonly maxEvents: number;
  readonly maxWeight: number;
}) {
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
    push(event: HostEvent): void {
      const own = weigh(event);
      events.push({ event, weight: own });
      weight += own;
      if (replacing.has(event.kind)) {
        release((newest.get(event.kind) ?? 0) - before - 1);
        newest.set(event.kind, last());
      }
      dropOldest();
    },
    /** Whether nothing is missing between this number and the newest. */
    goesOnAfter: (number: number): boolean => number >= before && number <= last(),
    /** The event that follows; null where a newer one has replaced it, undefined where there is none yet. */
    after: (number: number): HostEvent | null | undefined => events[number - before]?.event,
    /** Drops all events; their numbers stay taken. */
    clear(): void {
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

/** Wakes all who wait for something new. */
function createNews() {
  const waiting = new Set<() => void>();
  return {
    tell(): void {
      const all = [...waiting];
      waiting.clear();
      for (const go of all) go();
    },
    /** Until there is something new, or the signal is aborted. */
    wait: (signal: AbortSignal | undefined): Promise<void> =>
      new Promise((resolve) => {
        const go = (): void => {
          signal?.removeEventListener("abort", go);
          waiting.delete(go);
          resolve();
        };
        waiting.add(go);
        signal?.addEventListener("abort", go, { once: true });
        if (signal?.aborted) go();
      }),
  };
}
