import { APIConnectionError, APIError, APIUserAbortError } from "@anthropic-ai/sdk";
import { ModelError } from "./model-error.ts";

/**
 * The SDK's error as one of ours. A mid-stream `error` event has no status, so its `type` decides; the status is
 * the word of proxies that do not send a type.
 */
export function fromWire(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIUserAbortError) return new ModelError("aborted", "The request was stopped");
  if (error instanceof APIConnectionError) {
    const reason = error.cause instanceof Error ? `: ${error.cause.message}` : "";
    return new ModelError("connection", `The model's server could not be reached${reason}`, {
      retryable: true,
      cause: error,
    });
  }
  if (error instanceof APIError) return fromApiError(error);
  // A socket that ends in the middle of the stream reaches us as a plain error of fetch or of the SDK.
  return new ModelError(
    "connection",
    `The answer was cut: ${error instanceof Error ? error.message : String(error)}`,
    {
      retryable: true,
      cause: error,
    },
  );
}

function fromApiError(error: APIError): ModelError {
  const status = error.status ?? null;
  const said = error.apiMessage ?? error.message;
  const details = { status, retryAfterMs: retryAfter(error.headers), cause: error };
  switch (error.type ?? null) {
    case "authentication_error":
      return new ModelError("authentication", `The server refused the API key: ${said}`, details);
    case "permission_error":
    case "billing_error":
      return new ModelError("refused-by-server", `The server refused the request: ${said}`, details);
    case "rate_limit_error":
      return new ModelError("rate-limit", `The rate limit is reached: ${said}`, {
        ...details,
        retryable: true,
      });
    case "overloaded_error":
      return new ModelError("overloaded", `The provider is overloaded: ${said}`, {
        ...details,
        retryable: true,
      });
    case "api_error":
    case "timeout_error":
      return new ModelError("overloaded", `The provider failed: ${said}`, { ...details, retryable: true });
    case "invalid_request_error":
    case "not_found_error":
      return new ModelError("invalid-request", `The server refused the request: ${said}`, details);
    default:
      return fromStatus(status, said, details);
  }
}

function fromStatus(
  status: number | null,
  said: string,
  details: { status: number | null; retryAfterMs: number | null; cause: unknown },
): ModelError {
  if (status === 401)
    return new ModelError("authentication", `The server refused the API key: ${said}`, details);
  if (status === 402 || status === 403) {
    return new ModelError("refused-by-server", `The server refused the request: ${said}`, details);
  }
  if (status === 429)
    return new ModelError("rate-limit", `The rate limit is reached: ${said}`, {
      ...details,
      retryable: true,
    });
  if (status === 408 || status === 409 || status === null || status >= 500) {
    return new ModelError("overloaded", `The provider failed: ${said}`, { ...details, retryable: true });
  }
  return new ModelError("invalid-request", `The server refused the request: ${said}`, details);
}

/** `retry-after` in ms: seconds or a date. */
export function retryAfter(headers: Headers | undefined): number | null {
  const value = headers?.get("retry-after");
  if (!value) return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}
