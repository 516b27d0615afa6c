import type { RunnerEvent } from "./runner-protocol.ts";

interface Kept {
  readonly seq: number;
  readonly line: string;
}

/**
 * What happened, numbered, until a host confirms it. The agent waits while too much is unconfirmed, so that nothing is lost
 * and memory is bounded.
 */
export class EventLog {
  readonly #maxBytes: number;
  readonly #events: Kept[] = [];
  #bytes = 0;
  #last = 0;
  #waiting: (() => void)[] = [];
  /** Called after each new event. */
  onEvent: () => void = () => undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get last(): number {
    return this.#last;
  }

  get confirmed(): number {
    return this.#last - this.#events.length;
  }

  get isFull(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  add(event: RunnerEvent): void {
    this.#last += 1;
    const line = JSON.stringify({ kind: "event", seq: this.#last, event });
    this.#events.push({ seq: this.#last, line });
    this.#bytes += line.length;
    this.onEvent();
  }

  confirm(seq: number): void {
    for (const { line } of this.#events.splice(0, seq - this.confirmed)) this.#bytes -= line.length;
    if (!this.isFull) for (const go of this.#waiting.splice(0)) go();
  }

  /** The first event after a number. */
  next(after: number): Kept | undefined {
    return this.#events[Math.max(0, after - this.confirmed)];
  }

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
