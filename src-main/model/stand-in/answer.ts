import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Usage } from "#shared/domain/spending/usage.ts";
import type { StopReason } from "../driver-interface.ts";
import { type InputUsage, sign, tokensIn } from "./request.ts";
import type { Fault, Step } from "./script.ts";

type AnswerBlock =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly content: readonly AnswerBlock[];
  readonly stopReason: StopReason;
  readonly usage: InputUsage & { readonly output_tokens: number };
  /** The last tool call's JSON ends here: an answer that ran into `max_tokens`. */
  readonly truncated: boolean;
}

/** The step as an answer. Ids come from the request, so the same request gets the same ids. */
export function answerOf(
  step: Step,
  requestText: string,
  model: string,
  usage: InputUsage,
  truncated: boolean,
): Answer {
  const digest = createHash("sha256").update(requestText).digest("hex").slice(0, 20);
  const content: AnswerBlock[] = [];
  if (step.thinking)
    content.push({ type: "thinking", thinking: step.thinking, signature: sign(step.thinking) });
  if (step.say) content.push({ type: "text", text: step.say });
  for (const [index, call] of (step.calls ?? []).entries()) {
    content.push({ type: "tool_use", id: `toolu_${digest}${index}`, name: call.tool, input: call.input });
  }
  const output = content.reduce((sum, block) => sum + tokensIn(textOf(block)), 0);
  return {
    id: `msg_${digest}`,
    model,
    content,
    stopReason: truncated ? "max_tokens" : (step.stop ?? (step.calls?.length ? "tool_use" : "end_turn")),
    usage: step.usage ? asWireUsage(step.usage) : { ...usage, output_tokens: output },
    truncated,
  };
}

const asWireUsage = ({ input, cacheWrite5m, cacheWrite1h, cacheRead, output }: Usage): Answer["usage"] => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
  cache_read_input_tokens: cacheRead,
  cache_creation: {
    ephemeral_5m_input_tokens: cacheWrite5m,
    ephemeral_1h_input_tokens: cacheWrite1h,
  },
  output_tokens: output,
});

/** What an answer cost, as clients count it. */
export const usageOf = ({ usage }: Answer): Usage => ({
  input: usage.input_tokens,
  cacheWrite5m: usage.cache_creation.ephemeral_5m_input_tokens,
  cacheWrite1h: usage.cache_creation.ephemeral_1h_input_tokens,
  cacheRead: usage.cache_read_input_tokens,
  output: usage.output_tokens,
});

const textOf = (block: AnswerBlock): string => {
  if (block.type === "thinking") return block.thinking;
  return block.type === "text" ? block.text : JSON.stringify(block.input);
};

export const asMessage = (answer: Answer): unknown => ({
  id: answer.id,
  type: "message",
  role: "assistant",
  model: answer.model,
  content: answer.content,
  stop_reason: answer.stopReason,
  stop_sequence: null,
  usage: answer.usage,
});

interface WireEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Characters of the model's words in it. */
  readonly characters: number;
}

/** How many characters one delta carries. */
const chunk = 20;

/** The answer as the events of a stream, in the order of the real wire. */
function* asEvents(answer: Answer): Generator<WireEvent> {
  const event = (name: string, data: Record<string, unknown>, characters = 0): WireEvent => ({
    event: name,
    data: { type: name, ...data },
    characters,
  });
  yield event("message_start", {
    message: {
      id: answer.id,
      type: "message",
      role: "assistant",
      model: answer.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...answer.usage, output_tokens: 1 },
    },
  });
  yield event("ping", {});
  for (const [index, block] of answer.content.entries()) {
    const last = index === answer.content.length - 1;
    const delta = (data: Record<string, unknown>, characters: number): WireEvent =>
      event("content_block_delta", { index, delta: data }, characters);
    if (block.type === "thinking") {
      yield event("content_block_start", {
        index,
        content_block: { type: "thinking", thinking: "", signature: "" },
      });
      for (const part of parts(block.thinking))
        yield delta({ type: "thinking_delta", thinking: part }, part.length);
      yield delta({ type: "signature_delta", signature: block.signature }, 0);
    } else if (block.type === "text") {
      yield event("content_block_start", { index, content_block: { type: "text", text: "" } });
      const text = answer.truncated && last ? half(block.text) : block.text;
      for (const part of parts(text)) yield delta({ type: "text_delta", text: part }, part.length);
    } else {
      yield event("content_block_start", { index, content_block: { ...block, input: {} } });
      const json = JSON.stringify(block.input);
      for (const part of parts(answer.truncated && last ? half(json) : json)) {
        yield delta({ type: "input_json_delta", partial_json: part }, part.length);
      }
    }
    yield event("content_block_stop", { index });
  }
  yield event("message_delta", {
    delta: { stop_reason: answer.stopReason, stop_sequence: null },
    usage: { output_tokens: answer.usage.output_tokens },
  });
  yield event("message_stop", {});
}

const half = (text: string): string => text.slice(0, Math.ceil(text.length / 2));

/** By code points, so that no delta holds half a character. */
function parts(text: string): readonly string[] {
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / chunk) }, (_, index) =>
    points.slice(index * chunk, (index + 1) * chunk).join(""),
  );
}

/** What goes out on the wire: answers whole or as events, errors, and what faults make of them. */
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
  { pace, restMs = 0 }: { readonly pace: () => number; readonly restMs?: number },
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
    if (event === "message_start" && restMs > 0) await sleep(restMs);
    sent += characters;
    if (breaks && sent >= (fault.after ?? 10)) return breakOff(response, fault);
    const now = pace();
    if (now > 0 && characters > 0) await sleep((now * characters) / chunk);
  }
  response.end();
}

/** Ends the connection in the middle of an answer, once what was written is sent: a reset would discard that. */
export const cutOff = (response: ServerResponse): void =>
  void response.write("", () => response.socket?.end());

function breakOff(response: ServerResponse, fault: Fault): void {
  if (fault.kind === "cut") cutOff(response);
  else if (fault.kind === "error-event") {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    response.end(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
  }
}
