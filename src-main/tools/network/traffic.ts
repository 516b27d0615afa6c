import { Transform, type TransformCallback } from "node:stream";

export interface TrafficLimits {
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** What one command has sent and received through its proxy, over all connections. */
export class Traffic {
  readonly #left: { sent: number; received: number };
  readonly #onLimit: (direction: "sent" | "received") => void;

  constructor(limits: TrafficLimits, onLimit: (direction: "sent" | "received") => void) {
    this.#left = { sent: limits.sentBytes, received: limits.receivedBytes };
    this.#onLimit = onLimit;
  }

  /** Whether there is room for it. */
  count(direction: "sent" | "received", bytes: number): boolean {
    this.#left[direction] -= bytes;
    if (this.#left[direction] >= 0) return true;
    this.#onLimit(direction);
    return false;
  }

  /** Counts one stream; over the limit it breaks it. */
  meter(direction: "sent" | "received"): Transform {
    return new Transform({
      transform: (chunk: Buffer, _: BufferEncoding, done: TransformCallback) => {
        if (this.count(direction, chunk.length)) done(null, chunk);
        else done(new Error(`More bytes ${direction} than one command may.`));
      },
    });
  }
}
