/** What the gateway is started with, and what it can do. */
import type { Spent, Usage } from "#shared/domain/spending/usage.ts";
import type { ModelListener } from "../driver-interface.ts";
import type { ModelError } from "../model-error.ts";
import type { RateLimit } from "../rate-limit.ts";
import type { Wire } from "../usage-meter.ts";
import type { RefusalReason } from "./gateway-refusal.ts";

export type GateReason = "pause" | "budget";

/** The only endpoint of a wire. */
export interface Upstream {
  /** As the wire's own SDK takes it: OpenAI's ends in `/v1`, the others' do not. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Which header has the key. Default: that of the wire. */
  readonly keyHeader?: "x-api-key" | "authorization" | "x-goog-api-key";
  /** What all requests to this provider wait for together. */
  readonly scheduler: RateLimit;
}

/** Hides the key and other secrets. */
interface Redactor {
  redact(text: string): string;
  stream(): { push(chunk: string): string; end(): string };
}

export interface GatewayLimits {
  /** Requests of this worker at the provider at the same time, and so what may be spent beyond a budget. */
  readonly requests: number;
  readonly connections: number;
  readonly headerBytes: number;
  /** For the head of a request. */
  readonly headMs: number;
  /** For all of a request, its body included. */
  readonly requestMs: number;
  readonly bodyBytes: number;
  /** Of all bodies that are held at the same time. */
  readonly heldBytes: number;
  /** Refusals that are reported in one turn; further ones are refused without a report. */
  readonly reports: number;
  /** A provider that sends nothing for this long is given up. */
  readonly idleMs: number;
  /** An agent that reads nothing for this long is given up. */
  readonly readMs: number;
  /** A request waits at most this long for a rate limit or in an outage; then the agent gets the error. */
  readonly waitMs: number;
  /** First wait between attempts; doubles each time. */
  readonly backoffMs: number;
  /** How often a request may fail while others succeed. */
  readonly attempts: number;
}

export interface RefusedRequest {
  readonly reason: RefusalReason | "removed";
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly message: string;
}

export interface GatewayOptions {
  /** Its folder is made, for this user alone. */
  readonly socketPath: string;
  /** Whose requests these are, for those who wait together. */
  readonly requester: string;
  /** The wires that are served, each with its only endpoint. */
  readonly upstreams: Readonly<Partial<Record<Wire, Upstream>>>;
  /** Asked before each request is sent, again after each wait. While it is closed, requests wait for the end of their turn. */
  readonly gate: () => GateReason | null;
  /** A request waits: its turn has to be ended, without an error that the agent would have to understand. */
  readonly onHeld: (reason: GateReason) => void;
  /** Micro-dollars. Throws for a model without a price, which is refused then. */
  readonly price: (usage: Usage, model: string) => number;
  /** Once per answer, complete or cut. The end of the answer is passed on after this has resolved. */
  readonly onSpent: (spent: Spent, model: string, isEstimated: boolean) => void | Promise<void>;
  /** What the gateway refused, or removed from a request. The same thing is reported once per turn. */
  readonly onRefused: (refused: RefusedRequest) => void;
  /** A provider's error that the agent gets. */
  readonly onFailed?: (problem: ModelError) => void;
  readonly onRetry?: NonNullable<ModelListener["retry"]>;
  /** Has to know the keys. */
  readonly redactor: Redactor;
  readonly limits?: Partial<GatewayLimits>;
}

export interface Gateway {
  /** From now on requests are answered. */
  openTurn(): void;
  /** Requests that wait are refused, and so are those that arrive; those at the provider are completed. */
  closeTurn(): void;
  /** Resolves when no request is at the provider and the costs of all are recorded. */
  idle(): Promise<void>;
  /** Ends every connection, and counts what was cut by that. */
  close(): Promise<void>;
}
