import type { Duplex } from "node:stream";
import type { RefusalReason } from "./network-refusal.ts";
import type { AnswerStatus } from "./plain-answer.ts";
import type { RouteOptions } from "./route.ts";
import type { Traffic, TrafficLimits } from "./traffic.ts";

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
