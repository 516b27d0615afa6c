import { type Duplex, Transform, type TransformCallback } from "node:stream";
import type { RefusalReason } from "./network-refusal.ts";
import type { RouteOptions } from "./route.ts";

export interface ProxyLimits extends TrafficLimits {
  /** Connections of one command at the same time. */
  readonly connections: number;
  readonly headerBytes: number;
  /** For the head of a request, and for the ClientHello after it. */
  readonly headMs: number;
  readonly connectMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
  /** Limit of reported refusals; further ones are refused without a report. */
  readonly reports: number;
}

interface TrafficLimits {
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** What one command or agent has sent and received through its proxy, over all connections. */
export class Traffic {
  readonly #left: { sent: number; received: number };
  readonly #onLimit: (direction: "sent" | "received") => void;
  readonly #isOpen: () => boolean;

  /** @param isOpen whether anything may pass now */
  constructor(
    limits: TrafficLimits,
    onLimit: (direction: "sent" | "received") => void,
    isOpen: () => boolean = () => true,
  ) {
    this.#left = { sent: limits.sentBytes, received: limits.receivedBytes };
    this.#onLimit = onLimit;
    this.#isOpen = isOpen;
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
        if (!this.#isOpen()) done(new Error("The proxy was closed."));
        else if (this.count(direction, chunk.length)) done(null, chunk);
        else done(new Error(`More bytes ${direction} than the limit.`));
      },
    });
  }
}

/** What a request needs of the proxy that it came through. */
export interface ProxyContext {
  readonly route: RouteOptions;
  readonly limits: ProxyLimits;
  readonly traffic: Traffic;
  /** Lets a socket end with the proxy, and its errors end the socket alone. */
  own(socket: Duplex): void;
  /** The message for the command about an error; a refusal is also reported to the user. */
  refuse(error: unknown): {
    readonly status: AnswerStatus;
    readonly message: string;
    readonly reason: RefusalReason | null;
  };
}

const statusTexts = { 400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway" } as const;
export type AnswerStatus = keyof typeof statusTexts;

/** An HTTP answer with a status and a message. */
export function plainAnswer(status: AnswerStatus, message: string): string {
  const body = `Hox: ${message}\n`;
  return [
    `HTTP/1.1 ${status} ${statusTexts[status]}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
