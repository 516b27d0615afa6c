import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
import type { Change } from "#shared/graph/change.ts";

interface EventLogOptions {
  /** Everything a client needs to start from now on, taken in one go. */
  readonly snapshot: () => readonly HostEvent[];
  /** Numbers start here. Later than any number of an earlier host, so that its clients get a snapshot. */
  readonly start?: number;
  readonly maxEvents?: number;
  /** Rough characters that may be held for clients that are behind. */
  readonly maxWeight?: number;
}

/** Of these only the newest counts: a client that is behind skips the older ones. */
const replacing: ReadonlySet<HostEvent["kind"]> = new Set([
  "app",
  "open-repositories",
  "inbox",
  "repository-view",
  "presence",
]);

/**
 * One list of numbered events: of a repository that is open, or of a host where none is shown. Clients read it at their
 * own pace through a cursor; nothing is queued per client, so a slow or vanished one costs no memory: when the events it
 * wants are gone it gets a snapshot.
 */
export class EventLog {
  /** Number before its first event: a client at or after it can continue. */
  readonly start: number;
  readonly #snapshot: () => readonly HostEvent[];
  readonly #maxEvents: number;
  readonly #maxWeight: number;
  readonly #newest = new Map<HostEvent["kind"], number>();
  readonly #waiting = new Set<() => void>();
  /** Null once a newer one has replaced it: its number stays taken, its content need not. */
  #events: { readonly event: HostEvent | null; readonly weight: number }[] = [];
  /** Number of the event before the first that is held. */
  #before: number;
  #weight = 0;
  #isClosed = false;

  constructor({
    snapshot,
    start = Date.now() * 1000,
    maxEvents = 4096,
    maxWeight = 32_000_000,
  }: EventLogOptions) {
    this.start = start;
    this.#before = start;
    this.#snapshot = snapshot;
    this.#maxEvents = maxEvents;
    this.#maxWeight = maxWeight;
  }

  /** Number of the newest event. */
  get last(): number {
    return this.#before + this.#events.length;
  }

  /** Whether a client can continue after this number. */
  goesOnAfter(number: number): boolean {
    return number >= this.#before && number <= this.last;
  }

  /** What was published after a number, as far as it is held. */
  after(number: number): readonly HostEvent[] {
    return this.#events.slice(Math.max(0, number - this.#before)).flatMap(({ event }) => event ?? []);
  }

  publish(event: HostEvent): void {
    if (this.#isClosed) return;
    const weight = weigh(event);
    this.#events.push({ event, weight });
    this.#weight += weight;
    if (replacing.has(event.kind)) {
      const index = (this.#newest.get(event.kind) ?? 0) - this.#before - 1;
      this.#weight -= this.#events[index]?.weight ?? 0;
      if (index >= 0) this.#events[index] = { event: null, weight: 0 };
      this.#newest.set(event.kind, this.last);
    }
    this.#dropOldest();
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /**
   * Continues after `since`, or starts with a snapshot if it is null or too old. The events of a snapshot are
   * numbered 0 except the last: a client that is disconnected inside it asks for a new one.
   */
  async *read(since: number | null, signal?: AbortSignal): AsyncGenerator<NumberedEvent, void, void> {
    let cursor = since;
    while (!this.#isClosed && !signal?.aborted) {
      if (cursor === null || !this.goesOnAfter(cursor)) {
        const at = this.last;
        const events = this.#snapshot();
        for (const [index, event] of events.entries()) {
          if (signal?.aborted) return;
          yield { seq: index === events.length - 1 ? at : 0, event };
        }
        cursor = at;
        continue;
      }
      const next = this.#events[cursor - this.#before];
      if (next === undefined) {
        await this.#waitForEvents(signal);
        continue;
      }
      cursor++;
      if (next.event !== null) yield { seq: cursor, event: next.event };
    }
  }

  #dropOldest(): void {
    let drop = 0;
    const left = (): number => this.#events.length - drop;
    while (left() > 1 && (left() > this.#maxEvents || this.#weight > this.#maxWeight))
      this.#weight -= this.#events[drop++]?.weight ?? 0;
    if (drop === 0) return;
    this.#events.splice(0, drop);
    this.#before += drop;
  }

  #wake(): void {
    for (const go of [...this.#waiting]) go();
  }

  #waitForEvents(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        signal?.removeEventListener("abort", go);
        this.#waiting.delete(go);
        resolve();
      };
      this.#waiting.add(go);
      signal?.addEventListener("abort", go, { once: true });
      if (signal?.aborted) go();
    });
  }
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
