/** The requests that pass, by a fixed table, and how each wire writes the key and an error. */
import type { IncomingMessage } from "node:http";
import type { RateLimit } from "../rate-limit.ts";
import type { Wire } from "../usage-meter.ts";

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

/** What the agent asked for, in our own words. */
export interface Route {
  readonly wire: Wire;
  /** `answer` costs money; the others are free. */
  readonly kind: "answer" | "count" | "models";
  /** Below the endpoint's base URL. */
  readonly path: string;
  /** Of a wire that names it in the path. */
  readonly model: string | null;
}

interface Row {
  readonly wire: Wire;
  readonly kind: Route["kind"];
  readonly from: RegExp;
  /** Parameters that pass; keys of the agent's own never do. */
  readonly query?: Readonly<Record<string, RegExp>>;
  to(groups: Readonly<Record<string, string>>): string;
}

const page = { limit: /^\d{1,4}$/u, after_id: /^[\w.-]{1,100}$/u, before_id: /^[\w.-]{1,100}$/u };
const geminiPage = { pageSize: /^\d{1,4}$/u, pageToken: /^[\w.=-]{1,300}$/u };
const oneModel = (id: string | undefined): string => (id === undefined ? "" : `/${encodeURIComponent(id)}`);

const table: readonly Row[] = [
  {
    wire: "anthropic",
    kind: "answer",
    from: /^\/v1\/messages$/u,
    query: { beta: /^true$/u },
    to: () => "/v1/messages",
  },
  {
    wire: "anthropic",
    kind: "count",
    from: /^\/v1\/messages\/count_tokens$/u,
    query: { beta: /^true$/u },
    to: () => "/v1/messages/count_tokens",
  },
  {
    wire: "anthropic",
    kind: "models",
    from: /^\/v1\/models(?:\/(?<id>\w[\w-]{0,99}))?$/u,
    query: page,
    to: ({ id }) => `/v1/models${oneModel(id)}`,
  },
  { wire: "openai-responses", kind: "answer", from: /^\/v1\/responses$/u, to: () => "/responses" },
  { wire: "openai-chat", kind: "answer", from: /^\/v1\/chat\/completions$/u, to: () => "/chat/completions" },
  ...(["openai-responses", "openai-chat"] as const).map(
    (wire): Row => ({ wire, kind: "models", from: /^\/v1\/models$/u, to: () => "/models" }),
  ),
  {
    wire: "gemini",
    kind: "answer",
    from: /^\/v1beta\/models\/(?<id>\w[\w.-]{0,99}):(?<stream>streamG|g)enerateContent$/u,
    query: { alt: /^sse$/u },
    to: ({ id, stream }) =>
      `/v1beta/models${oneModel(id)}:${stream === "g" ? "generateContent" : "streamGenerateContent"}`,
  },
  {
    wire: "gemini",
    kind: "count",
    from: /^\/v1beta\/models\/(?<id>\w[\w.-]{0,99}):countTokens$/u,
    to: ({ id }) => `/v1beta/models${oneModel(id)}:countTokens`,
  },
  {
    wire: "gemini",
    kind: "models",
    from: /^\/v1beta\/models(?:\/(?<id>\w[\w.-]{0,99}))?$/u,
    query: geminiPage,
    to: ({ id }) => `/v1beta/models${oneModel(id)}`,
  },
];

/** Null: nothing that passes. `Host` and whatever else is in the target count for nothing. */
export function routeOf(
  { method, url = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  served: (wire: Wire) => boolean,
): Route | null {
  const [path = "", query = ""] = url.split("?", 2);
  const found = table.flatMap((row) => {
    const match = method === (row.kind === "models" ? "GET" : "POST") ? row.from.exec(path) : null;
    return match && served(row.wire) ? [{ row, groups: match.groups ?? {} }] : [];
  });
  // Two wires list their models at the same path; only Anthropic's has versions.
  const isAnthropic = headers["anthropic-version"] !== undefined;
  const { row, groups } =
    found.find((one) => (one.row.wire === "anthropic") === isAnthropic) ?? found[0] ?? {};
  if (!row || !groups) return null;
  const parameters = [...new URLSearchParams(query)].filter(([name, value]) => passes(row, name, value));
  const search = new URLSearchParams(parameters).toString();
  return {
    wire: row.wire,
    kind: row.kind,
    path: `${row.to(groups)}${search === "" ? "" : `?${search}`}`,
    model: groups.id ?? null,
  };
}

const passes = ({ query = {} }: Row, name: string, value: string): boolean =>
  Object.hasOwn(query, name) && query[name]?.test(value) === true;

/** Of the agent's headers, those that say how to answer. Its keys and cookies, and what concerns its connection, do not pass. */
const passedOn = ["accept", "user-agent", "anthropic-version", "anthropic-beta", "openai-beta"];

const keyHeaders = {
  anthropic: "x-api-key",
  "openai-responses": "authorization",
  "openai-chat": "authorization",
  gemini: "x-goog-api-key",
} as const;

/** The headers that the provider gets. */
export function upstreamHeaders(
  wire: Wire,
  { apiKey, keyHeader = keyHeaders[wire] }: Upstream,
  given: IncomingMessage["headers"],
): Record<string, string> {
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  for (const name of passedOn) {
    const value = given[name];
    if (typeof value === "string") headers[name] = value;
  }
  headers[keyHeader] = keyHeader === "authorization" ? `Bearer ${apiKey}` : apiKey;
  return headers;
}

const answerHeader =
  /^(?:content-type|retry-after|retry-after-ms|request-id|x-request-id|x-should-retry|(?:anthropic|x)-ratelimit-[a-z-]{1,60})$/u;

/** The headers that the agent gets. */
export const answerHeaders = (headers: Headers, redact: (text: string) => string): Record<string, string> =>
  Object.fromEntries(
    [...headers].filter(([name]) => answerHeader.test(name)).map(([name, value]) => [name, redact(value)]),
  );

/** An error as the wire has it, so that the agent's client understands it. */
export function errorBody(wire: Wire, status: number, message: string): string {
  const kinds: Readonly<Record<number, readonly [anthropic: string, gemini: string]>> = {
    400: ["invalid_request_error", "INVALID_ARGUMENT"],
    403: ["permission_error", "PERMISSION_DENIED"],
    404: ["not_found_error", "NOT_FOUND"],
    413: ["request_too_large", "INVALID_ARGUMENT"],
    429: ["rate_limit_error", "RESOURCE_EXHAUSTED"],
    503: ["overloaded_error", "UNAVAILABLE"],
  };
  const [type, state] = kinds[status] ?? ["api_error", "INTERNAL"];
  switch (wire) {
    case "anthropic":
      return JSON.stringify({ type: "error", error: { type, message } });
    case "gemini":
      return JSON.stringify({ error: { code: status, message, status: state } });
    case "openai-chat":
    case "openai-responses":
      return JSON.stringify({ error: { message, type, param: null, code: "refused_by_hox" } });
  }
}
