import type { WorkerEvent } from "./worker-events.ts";
import type { WorkerRecord } from "./worker-record.ts";

/** What an event changes about a worker. */
export type Changes = Partial<WorkerRecord>;
export const nothing: Changes = {};

export type EventOf<Kind extends WorkerEvent["kind"]> = Extract<WorkerEvent, { readonly kind: Kind }>;
