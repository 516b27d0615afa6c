import type { RunnerEvent } from "./runner-protocol.ts";

interface Kept {
  readonly seq: number;
  readonly line: string;
}

/**
 * What happened, numbered, until a host has confirmed it, and a bounded part of it after that. Whoever produces events waits
 * while too much is unconfirmed, so that nothing is lost and memory is bounded.
 */
export class EventLog {
  readonly #limits: { readonly unconfirmedBytes: number; readonly keptBytes: number };
  #events: Kept[] = [];
  #last = 0;
  #confirmed = 0;
  #unconfirmedBytes = 0;
  #keptBytes = 0;
  #waiting: (() => void)[] = [];
  /** Called after each new event. */
  onEvent: () => void = () => undefined;

  constructor(limits: { readonly unconfirmedBytes: number; readonly keptBytes: number }) {
    this.#limits = limits;
  }

  get last(): number {
    return this.#last;
  }

  get confirmed(): number {
    return this.#confirmed;
  }

  /** The number after which all events are kept, not before the given one. */
  from(after: number): number {
    return Math.max(after, (this.#events[0]?.seq ?? this.#last + 1) - 1);
  }

  get isFull(): boolean {
    return this.#unconfirmedBytes > this.#limits.unconfirmedBytes;
  }

  add(event: RunnerEvent): void {
    this.#last += 1;
    const line = JSON.stringify({ kind: "event", seq: this.#last, event });
    this.#events.push({ seq: this.#last, line });
    this.#unconfirmedBytes += line.length;
    this.onEvent();
  }

  confirm(seq: number): void {
    for (let event = this.next(this.#confirmed); event && event.seq <= seq; event = this.next(event.seq)) {
      this.#confirmed = event.seq;
      this.#unconfirmedBytes -= event.line.length;
      this.#keptBytes += event.line.length;
    }
    let gone = 0;
    while (this.#keptBytes > this.#limits.keptBytes) {
      this.#keptBytes -= this.#events[gone]?.line.length ?? this.#keptBytes;
      gone += 1;
    }
    this.#events.splice(0, gone);
    if (!this.isFull) for (const go of this.#waiting.splice(0)) go();
  }

  /** The next event after a number that is still kept. */
  next(after: number): Kept | undefined {
    const first = this.#events[0]?.seq ?? 0;
    return this.#events[Math.max(0, after + 1 - first)];
  }

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
