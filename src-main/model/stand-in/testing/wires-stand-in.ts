/** Providers of the other wires, on 127.0.0.1: OpenAI Responses, Chat Completions, and Gemini. Their words are scripted. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { cutOff } from "../answer.ts";

export interface SeenRequest {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Whether the client went before the answer's end. */
  isCut: boolean;
}

export interface WireCall {
  readonly name: string;
  /** Of a tool that is offered in a group, on the Responses wire. */
  readonly namespace?: string;
  /** A text: of a tool that takes one, on the Responses wire. */
  readonly input: Readonly<Record<string, unknown>> | string;
}

export interface WireAnswer {
  /** Of it and its calls: an agent takes a call that has the id of an earlier one for that one. Default: always the same. */
  readonly id?: string;
  readonly say?: string;
  readonly calls?: readonly WireCall[];
  /** `input` includes what was cached, `output` the thoughts. Null: it is never reported. */
  readonly usage?: {
    readonly input: number;
    readonly cached?: number;
    readonly output: number;
    readonly thoughts?: number;
  } | null;
  /** In place of a model's answer. */
  readonly refuse?: {
    readonly status: number;
    readonly body: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** After this many events the connection breaks or stays silent. */
  readonly after?: number;
  readonly ends?: "cut" | "stall";
  /** Resolves when the answer may begin. */
  readonly wait?: Promise<unknown>;
}

export interface WiresStandIn {
  readonly url: string;
  readonly requests: SeenRequest[];
  close(): Promise<void>;
}

/** @param answers to each request; asked once it was read */
export async function startWiresStandIn(
  answers: (seen: SeenRequest, count: number) => WireAnswer | Promise<WireAnswer>,
  port = 0,
): Promise<WiresStandIn> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => response.destroy());
    response.on("error", () => response.destroy());
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    const seen: SeenRequest = {
      method,
      url,
      headers,
      text: Buffer.concat(chunks).toString("utf8"),
      isCut: false,
    };
    requests.push(seen);
    response.on("close", () => {
      seen.isCut = !response.writableFinished;
    });
    await answer(seen, await answers(seen, requests.length), response);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(seen: SeenRequest, given: WireAnswer, response: ServerResponse): Promise<void> {
  const { id = "1" } = given;
  await given.wait;
  const sendJson = (value: unknown): void => {
    response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
    response.end(JSON.stringify(value));
  };
  if (given.refuse) {
    const { status, body, headers = { "content-type": "application/json" } } = given.refuse;
    response.writeHead(status, headers);
    return void response.end(body);
  }
  if (seen.method === "GET") return sendJson({ object: "list", data: [{ id: "gpt-5-5", object: "model" }] });
  const path = seen.url.split("?", 1)[0] ?? "";
  const body = JSON.parse(seen.text) as { stream?: boolean; stream_options?: { include_usage?: boolean } };
  if (path.endsWith("/responses")) {
    const events = responsesEvents(given, id);
    return body.stream ? sendEvents(response, events, given) : sendJson(events.at(-1)?.response);
  }
  if (path.endsWith("/chat/completions")) {
    if (!body.stream) return sendJson(chatCompletion(given, id));
    const isCounted = body.stream_options?.include_usage === true;
    return sendEvents(response, [...chatChunks(given, isCounted, id), "[DONE]"], given);
  }
  if (path.endsWith(":streamGenerateContent")) {
    const isSse = new URL(seen.url, "http://localhost").searchParams.get("alt") === "sse";
    return isSse ? sendEvents(response, geminiChunks(given, id), given) : sendJson(geminiChunks(given, id));
  }
  if (path.endsWith(":generateContent")) return sendJson(geminiChunks(given, id).at(-1));
  if (path.endsWith(":countTokens")) return sendJson({ totalTokens: 7 });
  response.writeHead(404, { "content-type": "application/json" });
  response.end("{}");
}

type Event = Readonly<Record<string, unknown>>;

async function sendEvents(
  response: ServerResponse,
  events: readonly (Event | string)[],
  { after = Number.POSITIVE_INFINITY, ends }: WireAnswer,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [index, event] of events.entries()) {
    if (response.destroyed) return;
    if (index === after) {
      if (ends === "cut") cutOff(response);
      return;
    }
    const name = typeof event !== "string" && typeof event.type === "string" ? `event: ${event.type}\n` : "";
    response.write(`${name}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    await sleep(0);
  }
  response.end();
}

const parts = (text: string): readonly string[] => text.match(/.{1,20}/gsu) ?? [];

function responsesEvents(
  { say, calls = [], usage = { input: 10, output: 5 } }: WireAnswer,
  id: string,
): readonly (Event & {
  readonly response?: unknown;
})[] {
  const output = [
    ...(say === undefined
      ? []
      : [
          {
            type: "message",
            id: `msg_${id}`,
            role: "assistant",
            content: [{ type: "output_text", text: say }],
          },
        ]),
    ...calls.map(({ input, ...call }, index) => ({
      call_id: `call_${id}_${index}`,
      ...call,
      ...(typeof input === "string"
        ? { type: "custom_tool_call", input }
        : { type: "function_call", arguments: JSON.stringify(input) }),
    })),
  ];
  const response = { id: `resp_${id}`, object: "response", status: "in_progress", output: [], usage: null };
  const total = usage && {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.thoughts ?? 0 },
    total_tokens: usage.input + usage.output,
  };
  return [
    { type: "response.created", response },
    // What a message says follows, as with OpenAI.
    ...output.map((item, index) => ({
      type: "response.output_item.added",
      output_index: index,
      item: "content" in item ? { ...item, content: [] } : item,
    })),
    ...parts(say ?? "").map((delta) => ({ type: "response.output_text.delta", output_index: 0, delta })),
    ...output.map((item, index) => ({ type: "response.output_item.done", output_index: index, item })),
    { type: "response.completed", response: { ...response, status: "completed", output, usage: total } },
  ];
}

const chatUsage = (usage: NonNullable<WireAnswer["usage"]>): Event => ({
  prompt_tokens: usage.input,
  prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
  completion_tokens: usage.output,
  completion_tokens_details: { reasoning_tokens: usage.thoughts ?? 0 },
  total_tokens: usage.input + usage.output,
});

const toolCalls = ({ calls = [] }: WireAnswer, answer: string): readonly Event[] =>
  calls.map(({ name, input }, index) => ({
    index,
    id: `call_${answer}_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));

function chatChunks(given: WireAnswer, isCounted: boolean, id: string): readonly Event[] {
  const { say = "", usage = { input: 10, output: 5 } } = given;
  const chunk = (rest: Event): Event => ({ id: "chat_1", object: "chat.completion.chunk", ...rest });
  const delta = (delta: Event, finish_reason: string | null = null): Event =>
    chunk({ choices: [{ index: 0, delta, finish_reason }] });
  const calls = toolCalls(given, id);
  return [
    delta({ role: "assistant", content: "" }),
    ...parts(say).map((content) => delta({ content })),
    ...(calls.length > 0 ? [delta({ tool_calls: calls })] : []),
    delta({}, calls.length > 0 ? "tool_calls" : "stop"),
    ...(usage && isCounted ? [chunk({ choices: [], usage: chatUsage(usage) })] : []),
  ];
}

const chatCompletion = (given: WireAnswer, id: string): Event => ({
  id: "chat_1",
  object: "chat.completion",
  choices: [
    { index: 0, message: { role: "assistant", content: given.say ?? "", tool_calls: toolCalls(given, id) } },
  ],
  ...(given.usage === null ? {} : { usage: chatUsage(given.usage ?? { input: 10, output: 5 }) }),
});

function geminiChunks(
  { say = "", calls = [], usage = { input: 10, output: 5 } }: WireAnswer,
  id: string,
): readonly Event[] {
  const content = (parts: readonly Event[]): Event => ({ role: "model", parts });
  const counts = (output: number): Event =>
    usage === null
      ? {}
      : {
          usageMetadata: {
            promptTokenCount: usage.input,
            cachedContentTokenCount: usage.cached ?? 0,
            candidatesTokenCount: output,
            thoughtsTokenCount: usage.thoughts ?? 0,
            totalTokenCount: usage.input + output + (usage.thoughts ?? 0),
          },
        };
  const texts = parts(say);
  return [
    ...texts.map((text, index) => ({ candidates: [{ content: content([{ text }]) }], ...counts(index + 1) })),
    {
      candidates: [
        {
          content: content(
            calls.map(({ name, input }, index) => ({
              functionCall: { id: `call_${id}_${index}`, name, args: input },
            })),
          ),
          finishReason: "STOP",
        },
      ],
      ...counts((usage?.output ?? 0) - (usage?.thoughts ?? 0)),
    },
  ];
}
