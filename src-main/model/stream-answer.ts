/** One attempt at an answer: reads its stream, counts its cost and notifies a listener. */
import type Anthropic from "@anthropic-ai/sdk";
import type { Usage } from "#shared/domain/spending/usage.ts";
import { wellFormed } from "#shared/domain/text/format-text.ts";
import type {
  AssistantBlock,
  ModelAnswer,
  ModelListener,
  ModelMessage,
  ModelRequest,
  ToolSchema,
  UserBlock,
} from "./driver-interface.ts";
import { ModelError } from "./model-error.ts";
import type { ModelFacts } from "./price-table.ts";
import { AnthropicMeter } from "./usage-meter.ts";
import { fromWire } from "./wire-error.ts";

/**
 * @param idleMs a body that is silent for this long is aborted
 * @throws ModelError for network errors, ListenerFailure for the listener's
 */
export async function streamAnswer(
  client: Anthropic,
  facts: ModelFacts,
  request: ModelRequest,
  on: ModelListener,
  signal: AbortSignal,
  idleMs: number,
): Promise<ModelAnswer> {
  const abort = new AbortController();
  const idle = watchIdle(idleMs, request.model, () => abort.abort());
  const usage = new AnthropicMeter();
  let reported = false;
  const report = (counted: Usage | null): void => {
    if (reported || !counted) return;
    reported = true;
    heard(() => on.usage?.(counted));
  };

  try {
    const answer = await read(
      client,
      facts,
      request,
      on,
      AbortSignal.any([signal, abort.signal]),
      usage,
      idle,
    );
    report(answer.usage);
    return answer;
  } catch (caught) {
    report(usage.soFar()?.usage ?? null);
    if (caught instanceof ListenerFailure) throw caught;
    if (signal.aborted) throw new ModelError("aborted", `that of ${request.requester}`);
    if (idle.problem !== null) throw idle.problem;
    throw fromWire(caught);
  } finally {
    idle.stop();
  }
}

type IdleWatch = ReturnType<typeof watchIdle>;

/** How many idle times a server may send nothing but pings. */
const pingsOnly = 4;
/** How many idle times an answer may take in all: an hour, where one is 90 s. The longest answers of any model take less. */
const wholeAnswer = 40;
/** Bytes of one event of a stream, and of a whole answer. */
const maxBytes = { event: 8_000_000, answer: 64_000_000 };

/**
 * Calls `onEnd` once when nothing came for `ms`, when an answer takes `wholeAnswer` times as long, or when it is too large. Counts
 * from now, so it covers a server that never answers too.
 */
export function watchIdle(ms: number, model: string, onEnd: () => void) {
  let problem: ModelError | null = null;
  const end = (kind: "stalled" | "malformed", words: string): void => {
    problem ??= new ModelError(kind, words);
    onEnd();
  };
  const seconds = (times: number): string => `${Math.round((times * ms) / 1000)} s`;
  const after = (times: number, words: string): NodeJS.Timeout =>
    setTimeout(() => end("stalled", words), ms * times);
  const bytes = after(1, `${model} sent nothing for ${seconds(1)}`);
  const events = after(pingsOnly, `${model} sent nothing but pings for ${seconds(pingsOnly)}`);
  const whole = after(wholeAnswer, `${model} did not finish within ${seconds(wholeAnswer)}`);

  return {
    /** Why the answer was ended; null while it was not. */
    get problem(): ModelError | null {
      return problem;
    },
    /** A real event came: pings alone keep a connection open, but not for ever. */
    event(): void {
      events.refresh();
    },
    stop(): void {
      for (const timer of [bytes, events, whole]) clearTimeout(timer);
    },
    /** The same response, whose body counts as alive with every byte, pings included. */
    watch(response: Response): Response {
      bytes.refresh();
      const reader = response.body?.getReader();
      if (!reader) return response;
      const size = eventSizes();
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value } = await reader.read();
          if (value === undefined) {
            controller.close();
            return;
          }
          bytes.refresh();
          const words = size.add(value);
          if (words === null) controller.enqueue(value);
          else {
            end("malformed", words);
            controller.error(problem);
          }
        },
        cancel: (reason) => reader.cancel(reason),
      });
      return new Response(body, response);
    },
  };
}

/** Counts the bytes of a stream of events, which end with an empty line. */
export function eventSizes(max = maxBytes): { add(chunk: Uint8Array): string | null } {
  let event = 0;
  let answer = 0;
  let isLineEmpty = true;
  return {
    /** The error about its size so far; null: none. */
    add(chunk) {
      answer += chunk.length;
      if (answer > max.answer) return `its response has more than ${max.answer / 1e6} MB`;
      for (const byte of chunk) {
        event += 1;
        if (event > max.event) return `an event of its response has more than ${max.event / 1e6} MB`;
        // Lines end with a line feed, with or without a carriage return before it.
        if (byte === 0x0d) continue;
        if (byte === 0x0a && isLineEmpty) event = 0;
        isLineEmpty = byte === 0x0a;
      }
      return null;
    },
  };
}

/** A listener threw (a journal that cannot be written): not the wire's fault, so it is passed on as it is. */
export class ListenerFailure extends Error {
  override readonly name = "ListenerFailure";
}

function heard(notifyListener: () => void): void {
  try {
    notifyListener();
  } catch (cause) {
    throw new ListenerFailure("A listener failed", { cause });
  }
}

async function read(
  client: Anthropic,
  facts: ModelFacts,
  request: ModelRequest,
  on: ModelListener,
  signal: AbortSignal,
  usage: AnthropicMeter,
  idle: IdleWatch,
): Promise<ModelAnswer> {
  const stream = client.messages.stream(requestParams(request, facts), {
    signal,
    middleware: [async (asked, next) => idle.watch(await next(asked))],
  });
  for await (const event of stream) {
    idle.event();
    usage.count(event);
    heard(() => tell(event, on));
  }
  const message = await stream.finalMessage();
  if (message.stop_reason === null) throw new Error("the stream ended without a stop reason");
  return {
    content: answerBlocks(message.content),
    stopReason: message.stop_reason,
    usage: usage.total(),
    model: message.model,
  };
}

type CacheMark = { readonly cache_control: Anthropic.CacheControlEphemeral };

/** The shorter lifetime goes without saying. */
const markFor = (lifetime: "5m" | "1h"): CacheMark => ({
  cache_control: lifetime === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" },
});

/** What all workers of a role share, with the mark, and the last paragraph, which names the one. */
export function systemBlocks(system: string): readonly string[] {
  const at = system.lastIndexOf("\n\n");
  return at <= 0 ? [system] : [system.slice(0, at), system.slice(at + 2)];
}

/**
 * Our request in the wire's words. Cache marks: one after tools and the shared system prompt, which stay the same to the
 * byte, and one on each of the last two user messages, so that this turn reads what the turn before wrote.
 */
function requestParams(request: ModelRequest, facts: ModelFacts): Anthropic.MessageStreamParams {
  const users = request.messages.flatMap((message, index) => (message.role === "user" ? [index] : []));
  const marked = new Set(users.slice(-2));
  const { cachedFor = "5m" } = request;
  const prefixMark = markFor(cachedFor === "5m" ? "5m" : "1h");
  const mark = markFor(cachedFor === "1h" ? "1h" : "5m");
  // Half a sign in a file's text, a name, or a call of the model's own: the provider would refuse all of it for that.
  return wellFormed({
    model: request.model,
    max_tokens: Math.min(request.maxTokens, facts.maxOutput),
    ...(request.system === "" ? {} : { system: wireSystem(request.system, prefixMark) }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(wireTool) }),
    messages: request.messages.map((message, index) => wireMessage(message, marked.has(index) ? mark : {})),
    // Without `summarized` the thinking arrives empty and a live view goes silent.
    ...(facts.adaptiveThinking ? { thinking: { type: "adaptive", display: "summarized" } } : {}),
    ...(request.effort && facts.effort ? { output_config: { effort: request.effort } } : {}),
  });
}

const wireSystem = (system: string, mark: CacheMark): Anthropic.TextBlockParam[] =>
  systemBlocks(system).map((text, index) => ({ type: "text", text, ...(index === 0 ? mark : {}) }));

const wireTool = (tool: ToolSchema): Anthropic.Tool => ({
  name: tool.name,
  description: tool.description,
  input_schema: { type: "object", ...tool.inputSchema },
});

function wireMessage(message: ModelMessage, mark: Partial<CacheMark>): Anthropic.MessageParam {
  if (message.role === "assistant") {
    return { role: "assistant", content: message.content.map((block) => ({ ...block })) };
  }
  const last = message.content.length - 1;
  return {
    role: "user",
    content: message.content.map((block, index) => ({
      ...wireBlock(block),
      ...(index === last ? mark : {}),
    })),
  };
}

function wireBlock(block: UserBlock): Anthropic.TextBlockParam | Anthropic.ToolResultBlockParam {
  if (block.type === "text" || typeof block.content === "string")
    return block as Anthropic.TextBlockParam | Anthropic.ToolResultBlockParam;
  return {
    ...block,
    content: block.content.map((part) =>
      part.type === "text"
        ? part
        : { type: "image", source: { type: "base64", media_type: part.mediaType, data: part.data } },
    ),
  };
}

/** The blocks that we use; empty text is left out because the wire refuses it when it goes back. */
function answerBlocks(content: readonly Anthropic.ContentBlock[]): readonly AssistantBlock[] {
  return content.flatMap((block): readonly AssistantBlock[] => {
    switch (block.type) {
      case "text":
        return block.text === "" ? [] : [{ type: "text", text: block.text }];
      case "tool_use":
        return [{ type: "tool_use", id: block.id, name: block.name, input: block.input }];
      case "thinking":
        return [{ type: "thinking", thinking: block.thinking, signature: block.signature }];
      case "redacted_thinking":
        return [{ type: "redacted_thinking", data: block.data }];
      default:
        return [];
    }
  });
}

function tell(event: Anthropic.MessageStreamEvent, on: ModelListener): void {
  if (event.type === "message_start") on.begin?.();
  if (event.type !== "content_block_delta") return;
  if (event.delta.type === "text_delta") on.text?.(event.delta.text);
  if (event.delta.type === "thinking_delta") on.thinking?.(event.delta.thinking);
}
