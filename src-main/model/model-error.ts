import { shortened } from "#shared/domain/text/format-text.ts";

/**
 * How a failed request is handled: `at-once` fails at once, since only the user can fix it; `shorter` is
 * retried with less context; `few` is retried a few times; `limit` and `outage` are waited out, however long
 * it takes; `again` may be the request's fault, so it is waited out too, but fails if others succeed
 * meanwhile.
 */
export type Recovery = "at-once" | "shorter" | "few" | "limit" | "outage" | "again";

interface Trouble {
  /** What it is, in words that begin a sentence. */
  readonly what: string;
  /** What the user can do, or that nothing has to be done. */
  readonly remedy: string;
  readonly recovery: Recovery;
}

const itsNames =
  "models.default, models.orchestrator, models.agent, models.validator, validation.models or merge_requests.first_reviewer";

/** Every way in which a request to a model fails. Screen, terminal and documents use these texts. */
export const modelTroubles = {
  authentication: {
    what: "The provider rejected the API key",
    remedy:
      "Enter a valid key in the settings, or set the variable of models.api_key_env (default ANTHROPIC_API_KEY), then retry.",
    recovery: "at-once",
  },
  credit: {
    what: "The account of the API key has no credit left or has reached its spend limit",
    remedy:
      "Add credit or raise the spend limit in the provider's console, under Billing and Limits, or use a key of another account. Then retry.",
    recovery: "at-once",
  },
  permission: {
    what: "The API key has no permission for this request",
    remedy:
      "Ask the administrator of the key's organisation for access, use another key, or set another model in [models] of .hox/config.toml. Then retry.",
    recovery: "at-once",
  },
  "model-not-found": {
    what: "The provider has no such model",
    remedy: `Fix its name (${itsNames} in .hox/config.toml, the settings, or --model), then retry.`,
    recovery: "at-once",
  },
  "prompt-too-long": {
    what: "The conversation is longer than the model's context window",
    remedy:
      "Hox already shortened it as far as possible. Choose a model with a larger context window, or make the task smaller, then retry.",
    recovery: "shorter",
  },
  "request-too-large": {
    what: "The request is larger than the provider or a proxy accepts",
    remedy:
      "Hox already shortened it as far as possible. If you use a proxy, raise its limit for request bodies to 32 MB; otherwise make the task smaller. Then retry.",
    recovery: "shorter",
  },
  "invalid-request": {
    what: "The provider rejected the request as invalid",
    remedy:
      "Retry: the next iteration sends a new request. If it fails again, the server at ANTHROPIC_BASE_URL may use an older API version, or this is a bug in Hox: report it with the message above.",
    recovery: "at-once",
  },
  "rate-limit": {
    what: "Rate limit reached",
    remedy:
      "No action needed: Hox retries automatically. To avoid it, run fewer agents at a time or raise your organisation's limit.",
    recovery: "limit",
  },
  overloaded: {
    what: "The provider is overloaded",
    remedy: "No action needed: Hox retries automatically. See also the provider's status page.",
    recovery: "outage",
  },
  server: {
    what: "The provider had an internal error",
    remedy: "No action needed: Hox retries automatically. See also the provider's status page.",
    recovery: "again",
  },
  timeout: {
    what: "The provider timed out",
    remedy: "No action needed: Hox retries automatically.",
    recovery: "again",
  },
  connection: {
    what: "The provider's server can't be reached",
    remedy: "Check the network, and ANTHROPIC_BASE_URL if it is set. Hox retries automatically.",
    recovery: "outage",
  },
  tls: {
    what: "The connection to the provider is not trusted",
    remedy:
      "If a proxy or firewall inspects TLS connections, set NODE_EXTRA_CA_CERTS to its certificate and restart Hox. Also check the computer's clock and whether the network needs a login in a browser. Agents wait until then.",
    recovery: "outage",
  },
  proxy: {
    what: "A proxy rejected the request or answered instead of the provider",
    remedy:
      "Check HTTPS_PROXY and the proxy's login, whether the network needs a login in a browser, and ANTHROPIC_BASE_URL if it is set. Hox retries automatically.",
    recovery: "outage",
  },
  malformed: {
    what: "The response has an invalid format",
    remedy:
      "Retry. If it fails again, check for a proxy that changes responses, or a server at ANTHROPIC_BASE_URL that does not implement the provider's API.",
    recovery: "few",
  },
  cut: {
    what: "The response was cut off",
    remedy: "No action needed: Hox retries. If it fails again, check the network and any proxy.",
    recovery: "again",
  },
  stalled: {
    what: "The response stopped",
    remedy: "No action needed: Hox retries. If it fails again, check the network and any proxy.",
    recovery: "again",
  },
  aborted: {
    what: "The request was stopped",
    remedy: "No action needed: it was stopped on request.",
    recovery: "at-once",
  },
  left: {
    what: "No request was sent",
    remedy: "No action needed: Hox sends the request when it resumes.",
    recovery: "at-once",
  },
} as const satisfies Readonly<Record<string, Trouble>>;

export type ModelErrorKind = keyof typeof modelTroubles;

/** Problems with the key, or with a model of the settings: every worker has them. */
const metByEverybody: readonly ModelErrorKind[] = [
  "authentication",
  "credit",
  "permission",
  "model-not-found",
];

export const isMetByEverybody = (error: unknown): error is ModelError =>
  error instanceof ModelError && metByEverybody.includes(error.kind);

/** A request to a model that did not end in an answer. The message says what happened, and `remedy` what to do. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  readonly remedy: string;
  readonly recovery: Recovery;
  /** HTTP status, when the server gave one. */
  readonly status: number | null;
  /** What the server asked us to wait, in ms. */
  readonly retryAfterMs: number | null;

  /** @param detail more than the kind says: the provider's own words, what was not reached */
  constructor(
    kind: ModelErrorKind,
    detail: string | null,
    details: {
      status?: number | null;
      retryAfterMs?: number | null;
      cause?: unknown;
    } = {},
  ) {
    const { what, remedy, recovery } = modelTroubles[kind];
    const more = detail?.replaceAll(/\s+/gu, " ").trim().replace(/\.$/u, "") ?? "";
    super(more === "" ? `${what}.` : `${what}: ${shortened(more, 500)}.`, { cause: details.cause });
    this.kind = kind;
    this.remedy = remedy;
    this.recovery = recovery;
    this.status = details.status ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }
}
