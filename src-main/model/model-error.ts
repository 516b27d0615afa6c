import { shortened } from "#shared/domain/text/cut-text.ts";

/**
 * What may become of a request: `at-once` fails at once, since only a person can mend it; `shorter` is asked again with
 * less in it; `few` is tried a few times; `limit` and `outage` pass by themselves and are waited out, however long it takes; `again` may be the
 * request's own, so it is waited out too, but fails where others get answers meanwhile.
 */
export type TroubleCourse = "at-once" | "shorter" | "few" | "limit" | "outage" | "again";

interface Trouble {
  /** What it is, in words that begin a sentence. */
  readonly what: string;
  /** What a person can do, or that nothing has to be done. */
  readonly remedy: string;
  readonly course: TroubleCourse;
}

const itsNames =
  "models.default, models.orchestrator, models.validator, validation.models or fold.first_reviewer";

/** Every way in which a request to a model ends without an answer. Screen, terminal and documents say what stands here. */
export const modelTroubles = {
  authentication: {
    what: "The provider refused the API key",
    remedy:
      "Enter a valid key in the settings, or set it in the variable that models.api_key_env names (ANTHROPIC_API_KEY unless you changed it), then try again.",
    course: "at-once",
  },
  credit: {
    what: "The account of the API key has no credit left, or has reached its spend limit",
    remedy:
      "Add credit or raise the spend limit in the provider's console, under Billing and Limits, or use the key of another account; then try again.",
    course: "at-once",
  },
  permission: {
    what: "The API key is valid, but may not do this",
    remedy:
      "Ask whoever administers the key's organisation for access, or choose another key, or another model in [models] of .hox/config.toml; then try again.",
    course: "at-once",
  },
  "model-not-found": {
    what: "The provider knows no such model",
    remedy: `Correct its name where it stands (${itsNames} in .hox/config.toml, the settings, or --model), then try again.`,
    course: "at-once",
  },
  "prompt-too-long": {
    what: "The conversation is longer than the model's window",
    remedy:
      "Hox has left out of it what it could. Choose a model with a larger window, or make the task smaller, then try again.",
    course: "shorter",
  },
  "request-too-large": {
    what: "The request has more bytes than the provider, or a proxy on the way, takes",
    remedy:
      "Hox has left out of it what it could. If a proxy stands between, raise its limit for request bodies to 32 MB; else make the task smaller. Then try again.",
    course: "shorter",
  },
  "invalid-request": {
    what: "The provider does not take the request as it is",
    remedy:
      "Try again: the next iteration asks anew. If it stays, the server at ANTHROPIC_BASE_URL may speak an older form of the interface, or this is a mistake of Hox: report it with the words above.",
    course: "at-once",
  },
  "rate-limit": {
    what: "The rate limit is reached",
    remedy:
      "Nothing to do: everything waits and goes on by itself. Fewer agents at once or a higher limit of the organisation make it rarer.",
    course: "limit",
  },
  overloaded: {
    what: "The provider is overloaded",
    remedy: "Nothing to do: everything waits and goes on by itself. The provider's status page may say more.",
    course: "outage",
  },
  server: {
    what: "The provider failed",
    remedy: "Nothing to do: everything waits and goes on by itself. The provider's status page may say more.",
    course: "again",
  },
  timeout: {
    what: "The provider took too long",
    remedy: "Nothing to do: everything waits and goes on by itself.",
    course: "again",
  },
  connection: {
    what: "The provider's server cannot be reached",
    remedy:
      "Check the network, and ANTHROPIC_BASE_URL where it is set. Everything waits and goes on by itself as soon as the server answers.",
    course: "outage",
  },
  tls: {
    what: "The connection to the provider is not trusted",
    remedy:
      "If a proxy or a firewall opens TLS connections here, give its certificate in NODE_EXTRA_CA_CERTS and start Hox again. Also look whether the computer's clock is right and whether the network wants a login in a browser. Everything waits meanwhile.",
    course: "outage",
  },
  proxy: {
    what: "A proxy on the way to the provider refused or answered in its place",
    remedy:
      "Check HTTPS_PROXY and the proxy's login, whether the network wants a login in a browser, and ANTHROPIC_BASE_URL where it is set. Everything waits and goes on by itself.",
    course: "outage",
  },
  malformed: {
    what: "The answer is not in the form that was agreed",
    remedy:
      "Try again. If it stays, look at what stands between: a proxy that changes answers, or a server at ANTHROPIC_BASE_URL that does not speak the provider's interface.",
    course: "few",
  },
  cut: {
    what: "The answer was cut off on its way",
    remedy: "Nothing to do: it is asked for again. If it stays, check the network and any proxy between.",
    course: "again",
  },
  stalled: {
    what: "The answer stopped coming",
    remedy: "Nothing to do: it is asked for again. If it stays, check the network and any proxy between.",
    course: "again",
  },
  aborted: {
    what: "The request was stopped",
    remedy: "Nothing to do: it was stopped on request.",
    course: "at-once",
  },
  left: {
    what: "Nothing was asked",
    remedy: "Nothing to do: it asks again when it goes on.",
    course: "at-once",
  },
} as const satisfies Readonly<Record<string, Trouble>>;

export type ModelErrorKind = keyof typeof modelTroubles;

/** What the provider has against the key, or a model of the settings: whoever asks meets the same. */
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
  readonly course: TroubleCourse;
  /** HTTP status, when the server gave one. */
  readonly status: number | null;
  /** What the server asked us to wait, in ms. */
  readonly retryAfterMs: number | null;

  /** @param said more than the kind says: the provider's own words, what was not reached */
  constructor(
    kind: ModelErrorKind,
    said: string | null,
    details: {
      status?: number | null;
      retryAfterMs?: number | null;
      cause?: unknown;
    } = {},
  ) {
    const { what, remedy, course } = modelTroubles[kind];
    const more = said?.replaceAll(/\s+/gu, " ").trim().replace(/\.$/u, "") ?? "";
    super(more === "" ? `${what}.` : `${what}: ${shortened(more, 500)}.`, { cause: details.cause });
    this.kind = kind;
    this.remedy = remedy;
    this.course = course;
    this.status = details.status ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }
}
