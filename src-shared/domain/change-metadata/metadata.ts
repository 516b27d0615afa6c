/** The words that Hox writes into a change's trailers (design sections 1 and 2; HOX-2.1). */

export const kinds = ["task", "base", "mutation", "message", "integration", "pattern"] as const;
export type Kind = (typeof kinds)[number];

export const statuses = ["open", "in_progress", "blocked", "review", "done", "abandoned"] as const;
export type Status = (typeof statuses)[number];

/** Most urgent first; the index is the number that HOX-2.1a gives. */
export const priorities = ["critical", "high", "medium", "low"] as const;
export type Priority = (typeof priorities)[number];

export const messageTypes = ["mutation", "info", "align-request"] as const;
export type MessageType = (typeof messageTypes)[number];

/** The metadata of one change; every field is optional on any change. */
export interface Metadata {
  readonly kind?: Kind;
  readonly status?: Status;
  readonly priority?: Priority;
  /** Order inside one priority: a fractional index, compared as plain strings. */
  readonly rank?: string;
  readonly run?: string;
  readonly orchestrator?: string;
  readonly agent?: string;
  readonly phase?: number;
  /** Address, may hold wildcards: `O-A-1`, `O-A-1/*`, `O-A-*`, `O-*`. */
  readonly msgTo?: string;
  readonly msgType?: MessageType;
  /** Change id of the message that this one answers. */
  readonly replyTo?: string;
  readonly iteration?: number;
  /** One line of JSON (HOX-6.2). */
  readonly metrics?: string;
  /** Why the user landed it against the verdict. */
  readonly overruled?: string;
}

export type MetadataField = keyof Metadata;

/** Field → trailer key, in the order in which new trailers are written. */
export const trailerKeys = {
  kind: "Hox-Kind",
  status: "Hox-Status",
  priority: "Hox-Priority",
  rank: "Hox-Rank",
  run: "Hox-Run",
  orchestrator: "Hox-Orchestrator",
  agent: "Hox-Agent",
  phase: "Hox-Phase",
  msgTo: "Hox-Msg-To",
  msgType: "Hox-Msg-Type",
  replyTo: "Hox-Reply-To",
  iteration: "Hox-Iteration",
  metrics: "Hox-Metrics",
  overruled: "Hox-Overruled",
} as const satisfies Record<MetadataField, string>;

/** A change to metadata: a value sets the field, `null` removes its trailer, an absent field stays as it is. */
export type MetadataPatch = { readonly [F in MetadataField]?: Metadata[F] | null };
