import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
} from "@anthropic-ai/sdk";
import { startOf } from "#shared/domain/text/format-text.ts";
import { ModelError, type ModelErrorKind } from "./model-error.ts";
import { at, type Wire } from "./usage-meter.ts";

/** The SDK's error, or that of the network below it, as one of ours. */
export function fromWire(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIUserAbortError) return new ModelError("aborted", null);
  if (error instanceof APIConnectionTimeoutError)
    return new ModelError("timeout", "no answer", { cause: error });
  if (error instanceof APIConnectionError) return fromConnection(error);
  if (error instanceof APIError) return fromApiError(error);
  // What breaks in the middle of a stream reaches us as a plain error of fetch, of the SDK, or of JSON.
  const reason = innermost(error);
  const kind =
    reason instanceof SyntaxError ||
    /unexpected event order|without sending any chunks|stop reason|JSON/iu.test(errorText(reason))
      ? "malformed"
      : "cut";
  return new ModelError(kind, errorText(reason), { cause: error });
}

/** A request that got no answer, because the network or the server is at fault. */
export function fromConnection(error: unknown): ModelError {
  const reason = innermost(error);
  return new ModelError(kindOfConnection(reason), errorText(reason), { cause: error });
}

/** The error that all others only pass on; of several tries at once the first. */
function innermost(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? innermost(error.cause) : error;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

const errorText = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  return message === "" || message.includes(code) ? message || code : `${message} (${code})`;
};

/** Errors of OpenSSL and Node for untrusted or unreadable certificates. */
const tls = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|EPROTO|wrong version number/iu;

function kindOfConnection(reason: unknown): ModelErrorKind {
  const message = `${codeOf(reason)} ${errorText(reason)}`;
  if (tls.test(message)) return "tls";
  return /proxy/iu.test(message) ? "proxy" : "connection";
}

/** What the provider says in words alone: its codes are younger than its servers. */
const creditPattern =
  /credit balance|billing|purchase credits|spend(ing)? limit|usage limits|regain access/iu;
const promptTooLongPattern =
  /prompt is too long|input length and .?max_tokens.? exceed|exceeds? the (model's )?context|context (window|length)/iu;
const modelPattern = /(^|\s)model:|model .*(not found|does not exist|not supported|unknown)/iu;

/**
 * A mid-stream `error` event has no status, so its type decides; the status is the word of proxies that do not send a
 * type.
 */
function fromApiError(error: APIError): ModelError {
  // A body without a message is reported as its JSON.
  const isWordless = typeof error.error === "object" && error.error !== null;
  return fromRefusal({
    status: error.status ?? null,
    type: error.type ?? null,
    code: error.errorCode,
    message: error.apiMessage ?? (isWordless ? "" : withoutMarkup(error.message)),
    headers: error.headers,
    cause: error,
  });
}

/** A provider's refusal, in its own words. */
interface Refusal {
  readonly status: number | null;
  readonly type: string | null;
  readonly code: string | null;
  readonly message: string;
  readonly headers: Headers | undefined;
  readonly cause?: unknown;
}

function fromRefusal({ status, type, code, message, headers, cause }: Refusal): ModelError {
  return new ModelError(
    kindOf(type, status, code, message),
    message === "" && status !== null ? `HTTP status ${status}` : message,
    { status, retryAfterMs: retryAfter(headers), cause },
  );
}

/**
 * What an answer with an error status means, on any wire.
 *
 * @param body JSON, or a page
 */
export function fromErrorAnswer(wire: Wire, { status, headers }: Response, body: string): ModelError {
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  const answer = parsed(body);
  const error = at(Array.isArray(answer) ? answer[0] : answer, "error");
  const refused = fromRefusal({
    status,
    // Others call most of what goes wrong an invalid request.
    type: wire === "anthropic" ? text(at(error, "type")) : null,
    // A message in JSON is the provider's own: it knows the path, and so not the model.
    code:
      wire !== "anthropic" && status === 404 && text(at(error, "message")) !== null
        ? "model_not_found"
        : (text(at(error, "details", "error_code")) ?? text(at(error, "code"))),
    message: text(at(error, "message")) ?? (answer === undefined ? withoutMarkup(body) : ""),
    headers,
  });
  // Gemini says it in the body.
  const [, seconds] = /"retryDelay": ?"(\d{1,6})(?:\.\d{1,9})?s"/u.exec(body) ?? [];
  if (refused.retryAfterMs !== null || seconds === undefined) return refused;
  return new ModelError(refused.kind, text(at(error, "message")), {
    status,
    retryAfterMs: (Number(seconds) + 1) * 1000,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function kindOf(
  type: string | null,
  status: number | null,
  code: string | null,
  message: string,
): ModelErrorKind {
  if (code !== null && /spend_limit|billing|insufficient_quota/u.test(code)) return "credit";
  if (code === "model_not_found") return "model-not-found";
  switch (type) {
    case "authentication_error":
      return "authentication";
    case "billing_error":
      return "credit";
    case "permission_error":
      return creditPattern.test(message) ? "credit" : "permission";
    case "rate_limit_error":
      return "rate-limit";
    case "overloaded_error":
      return "overloaded";
    case "timeout_error":
      return "timeout";
    case "api_error":
      return "server";
    case "request_too_large":
      return "request-too-large";
    case "not_found_error":
      return modelPattern.test(message) ? "model-not-found" : "invalid-request";
    case "invalid_request_error":
      if (status === 413) return "request-too-large";
      return kindFromMessage(message);
    default:
      return kindOfStatus(status, message);
  }
}

function kindFromMessage(message: string): ModelErrorKind {
  if (promptTooLongPattern.test(message)) return "prompt-too-long";
  if (creditPattern.test(message)) return "credit";
  return modelPattern.test(message) ? "model-not-found" : "invalid-request";
}

function kindOfStatus(status: number | null, message: string): ModelErrorKind {
  switch (status) {
    case null:
      return "server";
    case 401:
      return "authentication";
    case 402:
      return "credit";
    case 403:
      return creditPattern.test(message) ? "credit" : "permission";
    case 404:
      return modelPattern.test(message) ? "model-not-found" : "proxy";
    case 502:
      return "proxy";
    case 408:
    case 504:
    case 524:
      return "timeout";
    case 413:
      return "request-too-large";
    case 429:
      return "rate-limit";
    case 503:
    case 529:
      return "overloaded";
  }
  return status === 409 || status >= 500 ? "server" : kindFromMessage(message);
}

/** Of a page that says what is wrong. */
const maxPageLength = 20_000;

/** A proxy answers with a page. */
const withoutMarkup = (message: string): string =>
  startOf(message, maxPageLength)
    .replace(/<(script|style)[\s\S]*?<\/\1>/giu, " ")
    .replace(/<[^>]*>/gu, " ")
    .trim();

/** `retry-after` in ms: seconds or a date. */
function retryAfter(headers: Headers | undefined): number | null {
  const exact = headers?.get("retry-after-ms");
  if (exact && Number.isFinite(Number(exact))) return Math.max(0, Number(exact));
  const value = headers?.get("retry-after");
  if (!value) return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}
