/** The requests that pass, by a fixed table, and how each wire writes the key and an error. */
import type { IncomingMessage } from "node:http";
import type { Wire } from "../usage-meter.ts";
import type { Upstream } from "./gateway-interface.ts";

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

type Groups = Readonly<Record<string, string>>;
type Query = Readonly<Record<string, RegExp>>;
type Row = readonly [Wire, Route["kind"], from: RegExp, to: (groups: Groups) => string, query?: Query];

const page = { limit: /^\d{1,4}$/u, after_id: /^[\w.-]{1,100}$/u, before_id: /^[\w.-]{1,100}$/u };
const geminiPage = { pageSize: /^\d{1,4}$/u, pageToken: /^[\w.=-]{1,300}$/u };
const oneModel = ({ id }: Groups): string => (id === undefined ? "" : `/${encodeURIComponent(id)}`);

/** With the parameters that pass: a key of the agent's own is none of them. */
const table: readonly Row[] = [
  ["anthropic", "answer", /^\/v1\/messages$/u, () => "/v1/messages", { beta: /^true$/u }],
  [
    "anthropic",
    "count",
    /^\/v1\/messages\/count_tokens$/u,
    () => "/v1/messages/count_tokens",
    { beta: /^true$/u },
  ],
  [
    "anthropic",
    "models",
    /^\/v1\/models(?:\/(?<id>\w[\w-]{0,99}))?$/u,
    (model) => `/v1/models${oneModel(model)}`,
    page,
  ],
  ["openai-responses", "answer", /^\/v1\/responses$/u, () => "/responses"],
  ["openai-responses", "models", /^\/v1\/models$/u, () => "/models"],
  ["openai-chat", "answer", /^\/v1\/chat\/completions$/u, () => "/chat/completions"],
  ["openai-chat", "models", /^\/v1\/models$/u, () => "/models"],
  [
    ...(["gemini", "answer", /^\/v1beta\/models\/(?<id>\w[\w.-]{0,99}):generateContent$/u] as const),
    (model) => `/v1beta/models${oneModel(model)}:generateContent`,
  ],
  [
    ...(["gemini", "answer", /^\/v1beta\/models\/(?<id>\w[\w.-]{0,99}):streamGenerateContent$/u] as const),
    (model) => `/v1beta/models${oneModel(model)}:streamGenerateContent`,
    { alt: /^sse$/u },
  ],
  [
    ...(["gemini", "count", /^\/v1beta\/models\/(?<id>\w[\w.-]{0,99}):countTokens$/u] as const),
    (model) => `/v1beta/models${oneModel(model)}:countTokens`,
  ],
  [
    ...(["gemini", "models", /^\/v1beta\/models(?:\/(?<id>\w[\w.-]{0,99}))?$/u] as const),
    (model) => `/v1beta/models${oneModel(model)}`,
    geminiPage,
  ],
];

/** Null: nothing that passes. `Host` and whatever else is in the target count for nothing. */
export function routeOf(
  { method, url = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  served: (wire: Wire) => boolean,
): Route | null {
  const [path = "", query = ""] = url.split("?", 2);
  const rows = table.filter(
    ([wire, kind, from]) =>
      served(wire) && method === (kind === "models" ? "GET" : "POST") && from.test(path),
  );
  // Two wires list their models at the same path; only Anthropic's has versions.
  const isAnthropic = headers["anthropic-version"] !== undefined;
  const row = rows.find(([wire]) => (wire === "anthropic") === isAnthropic) ?? rows[0];
  if (!row) return null;
  const [wire, kind, from, to, passing = {}] = row;
  const groups = from.exec(path)?.groups ?? {};
  const search = new URLSearchParams(
    [...new URLSearchParams(query)].filter(
      ([name, value]) => Object.hasOwn(passing, name) && passing[name]?.test(value),
    ),
  );
  return {
    wire,
    kind,
    path: `${to(groups)}${search.size === 0 ? "" : `?${search}`}`,
    model: groups.id ?? null,
  };
}

/** Of the agent's headers, those that say how to answer. Its keys and cookies, and what concerns its connection, do not pass. */
const passedOn = ["accept", "user-agent", "anthropic-version", "anthropic-beta", "openai-beta"];

/** What Anthropic tries out that costs more, asks other models, or sends content elsewhere. */
const refusedBeta =
  /^(?:fast-mode|server-side-fallback|fallback-credit|advisor-tool|compact|mcp|code-execution|inline-tools|skills|files-api|user-profiles|message-threads|managed-agents|agent-memory)-/u;

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
  const betas = headers["anthropic-beta"]?.split(",").filter((beta) => !refusedBeta.test(beta.trim()));
  if (betas) headers["anthropic-beta"] = betas.join(",");
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
