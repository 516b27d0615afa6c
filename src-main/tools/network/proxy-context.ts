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
  /** Different refusals that are told; what comes after them is refused all the same. */
  readonly reports: number;
}

/** What a request needs of the proxy that it came through. */
export interface ProxyContext {
  readonly route: RouteOptions;
  readonly limits: ProxyLimits;
  readonly traffic: Traffic;
  /** Lets a socket end with the proxy, and its errors end the socket alone. */
  own(socket: Duplex): void;
  /** What is said to the command about what went wrong; a refusal is told outside as well. */
  refuse(error: unknown): {
    readonly status: AnswerStatus;
    readonly message: string;
    readonly reason: RefusalReason | null;
  };
}
