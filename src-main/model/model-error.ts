export type ModelErrorKind =
  | "authentication"
  | "rate-limit"
  | "overloaded"
  | "connection"
  | "stalled"
  | "invalid-request"
  | "refused-by-server"
  | "aborted"
  | "left";

const remedies: Readonly<Record<ModelErrorKind, string>> = {
  authentication:
    "Check the API key in the settings or in ANTHROPIC_API_KEY; the run goes on where it stopped.",
  "rate-limit":
    "Wait until the quota returns, lower the number of agents at once, or raise the limit of the organisation.",
  overloaded: "The provider is overloaded. Resume the run in a few minutes, or choose another model.",
  connection: "Check the network and ANTHROPIC_BASE_URL, then resume the run.",
  stalled:
    "The answer stopped coming. Resume the run; if it stalls again, check the network or any proxy between.",
  "invalid-request":
    "Check the model's name in [models] of .hox/config.toml; a fresh iteration starts with a shorter conversation.",
  "refused-by-server": "Check the permissions and the credit of the API key's account with the provider.",
  aborted: "Nothing to do: it was stopped on request.",
  left: "Nothing to do: nothing was asked, and it asks again when it goes on.",
};

/** A request to a model that did not end in an answer. The message names what happened and what to do. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  readonly remedy: string;
  /** Whether asking again may help; the driver has already tried. */
  readonly retryable: boolean;
  /** HTTP status, when the server gave one. */
  readonly status: number | null;
  /** What the server asked us to wait, in ms. */
  readonly retryAfterMs: number | null;

  constructor(
    kind: ModelErrorKind,
    what: string,
    details: {
      retryable?: boolean;
      status?: number | null;
      retryAfterMs?: number | null;
      cause?: unknown;
    } = {},
  ) {
    super(`${what.replace(/\.?$/, ".")} ${remedies[kind]}`, { cause: details.cause });
    this.kind = kind;
    this.remedy = remedies[kind];
    this.retryable = details.retryable ?? false;
    this.status = details.status ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }
}
