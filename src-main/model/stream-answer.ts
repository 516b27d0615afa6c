/** One attempt at an answer: reads its stream, counts what it costs and tells a listener what comes. */
import type Anthropic from "@anthropic-ai/sdk";
import type { Usage } from "#shared/domain/spending/usage.ts";
import type { ModelAnswer, ModelListener, ModelRequest } from "./driver-interface.ts";
import { ModelError } from "./model-error.ts";
import type { ModelFacts } from "./price-table.ts";
import { type IdleWatch, watchIdle } from "./stream-idle.ts";
import { fromWire } from "./wire-error.ts";
import { answerBlocks, requestParams } from "./wire-request.ts";
import { UsageMeter } from "./wire-usage.ts";

/**
 * @param idleMs a body that is silent for so long is aborted
 * @throws ModelError for what the wire did, ListenerFailure for what the listener did
 */
export async function streamAnswer(
  client: (fetch: typeof globalThis.fetch) => Anthropic,
  facts: ModelFacts,
  request: ModelRequest,
  on: ModelListener,
  signal: AbortSignal,
  idleMs: number,
): Promise<ModelAnswer> {
  const abort = new AbortController();
  const onAbort = (): void => abort.abort();
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  const idle = watchIdle(idleMs, request.model, onAbort);
  const usage = new UsageMeter();
  let reported = false;
  const report = (counted: Usage | null): void => {
    if (reported || !counted) return;
    reported = true;
    heard(() => on.usage?.(counted));
  };

  try {
    const answer = await read(client(idle.fetch), facts, request, on, abort.signal, usage, idle);
    report(answer.usage);
    return answer;
  } catch (caught) {
    report(usage.soFar());
    if (caught instanceof ListenerFailure) throw caught;
    if (signal.aborted) throw new ModelError("aborted", `that of ${request.requester}`);
    if (idle.problem !== null) throw idle.problem;
    throw fromWire(caught);
  } finally {
    idle.stop();
    signal.removeEventListener("abort", onAbort);
  }
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
  usage: UsageMeter,
  idle: IdleWatch,
): Promise<ModelAnswer> {
  const stream = client.messages.stream(requestParams(request, facts), { signal });
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
    requestId: stream.request_id ?? null,
  };
}

function tell(event: Anthropic.MessageStreamEvent, on: ModelListener): void {
  if (event.type === "content_block_start" && event.content_block.type === "tool_use") {
    on.toolCallStarted?.(event.content_block.id, event.content_block.name);
  }
  if (event.type !== "content_block_delta") return;
  if (event.delta.type === "text_delta") on.text?.(event.delta.text);
  if (event.delta.type === "thinking_delta") on.thinking?.(event.delta.thinking);
}
