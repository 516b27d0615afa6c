/** Why the gateway itself does not send a request. */
export type RefusalReason = keyof typeof statuses;

const statuses = {
  "not-served": 404,
  malformed: 400,
  "too-large": 413,
  limit: 429,
  turn: 403,
  held: 403,
  model: 403,
  unmetered: 403,
  "remote-content": 403,
  unrecorded: 403,
  "rate-limit": 429,
  outage: 503,
  failed: 500,
} as const;

/** The agent gets it as an error of its wire, the host as a line in its log. */
export class GatewayRefusal extends Error {
  override readonly name = "GatewayRefusal";
  readonly reason: RefusalReason;
  readonly status: number;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
    this.status = statuses[reason];
  }
}
