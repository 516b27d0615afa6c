/** What goes out on the wire: answers whole or as events, errors, and what faults make of them. */
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, asEvents, chunk } from "./answer.ts";
import type { Fault } from "./script.ts";

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function sendRaw(response: ServerResponse, status: number, body: unknown): void {
  if (typeof body !== "string") sendJson(response, status, body);
  else {
    response.writeHead(status, { "content-type": "text/html" });
    response.end(body);
  }
}

export function sendError(
  response: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  sendJson(response, status, { type: "error", error: { type, message } }, headers);
}

function refusalOf(fault: Fault): { status: number; type: string; message: string } | undefined {
  switch (fault.kind) {
    case "rate-limit":
      return { status: 429, type: "rate_limit_error", message: "This request would exceed your rate limit." };
    case "overloaded":
      return { status: 529, type: "overloaded_error", message: "Overloaded" };
    case "server":
      return { status: 500, type: "api_error", message: "Internal server error" };
    case "unauthorized":
      return { status: 401, type: "authentication_error", message: "invalid API key" };
    default:
      return undefined;
  }
}

/** Whether a fault answers without calling the model. */
export const isAnswered = (fault: Fault): boolean =>
  fault.answer !== undefined || fault.kind === "page" || refusalOf(fault) !== undefined;

/** Answers with what a fault says. */
export function sendFault(response: ServerResponse, fault: Fault): void {
  const refused = refusalOf(fault);
  if (fault.answer) sendRaw(response, fault.answer.status, fault.answer.body);
  else if (fault.kind === "page")
    sendRaw(response, 200, "<html><title>Log in</title><p>Welcome to the hotel.</p></html>");
  else if (refused) {
    const wait = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
    sendError(response, refused.status, refused.type, refused.message, wait);
  }
}

/** Piece by piece, as far as a fault lets it. */
export async function sendEvents(
  response: ServerResponse,
  answer: Answer,
  fault: Fault | undefined,
  pace: () => number,
): Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  const breaks = fault && ["error-event", "cut", "stall"].includes(fault.kind);
  let sent = 0;
  for (const { event, data, characters } of asEvents(answer)) {
    // An answer shorter than `after` breaks before its end, or the fault would not have happened.
    if (breaks && event === "message_delta") return breakOff(response, fault);
    if (fault?.kind === "malformed" && event === "content_block_start") {
      response.end('event: content_block_delta\ndata: {"type": "content_block_delta", "ind\n\n');
      return;
    }
    // The caller has disconnected.
    if (response.destroyed) return;
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    sent += characters;
    if (breaks && sent >= (fault.after ?? 10)) return breakOff(response, fault);
    const now = pace();
    if (now > 0 && characters > 0) await sleep((now * characters) / chunk);
  }
  response.end();
}

function breakOff(response: ServerResponse, fault: Fault): void {
  if (fault.kind === "cut") {
    // Let what was written reach the client first: a reset would discard it.
    response.write("", () => setTimeout(() => response.destroy(), 20));
  } else if (fault.kind === "error-event") {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    response.end(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
  }
}
