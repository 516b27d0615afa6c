import Anthropic from "@anthropic-ai/sdk";
import type { Usage } from "#shared/domain/usage.ts";
import type { ModelAnswer, ModelDriver, ModelListener, ModelRequest } from "./driver-interface.ts";
import { ModelError } from "./model-error.ts";
import { shippedPrices } from "./price.ts";
import { type ModelFacts, modelFacts } from "./price-table.ts";
import type { RateLimit } from "./rate-limit.ts";
import { type IdleWatch, watchIdle } from "./stream-idle.ts";
import { fromWire } from "./wire-error.ts";
import { answerBlocks, requestParams } from "./wire-request.ts";
import { UsageMeter } from "./wire-usage.ts";

export interface AnthropicDriverOptions {
  readonly apiKey: string;
  /** Default: the provider's own address. The environment is never read here. */
  readonly baseUrl?: string;
  readonly scheduler: RateLimit;
  /** Facts about models: window, longest answer, thinking. Default: those of the shipped table. */
  readonly models?: (model: string) => ModelFacts;
  /** A body that is silent for so long is aborted; the SDK's own timeout ends with the headers. Default 90 s. */
  readonly idleMs?: number;
  readonly scripted?: boolean;
  readonly name?: string;
  /** First wait between attempts; doubles each time. Default 1 s. */
  readonly backoffMs?: number;
  /** Attempts in all for anything but a rate limit. Default 6. */
  readonly attempts?: number;
}

/** Rate limits come back after hours when a quota is spent, so they get many more attempts than failures. */
const rateLimitAttempts = 100;

export function createAnthropicDriver(options: AnthropicDriverOptions): ModelDriver {
  const { scheduler, idleMs = 90_000, backoffMs = 1000, attempts = 6 } = options;
  const facts = options.models ?? modelFacts(shippedPrices());
  const client = (fetch: typeof globalThis.fetch): Anthropic =>
    new Anthropic({
      apiKey: options.apiKey,
      authToken: null,
      baseURL: options.baseUrl ?? "https://api.anthropic.com",
      maxRetries: 0,
      timeout: idleMs,
      logLevel: "off",
      openTelemetry: false,
      fetch,
    });

  return {
    name: options.name ?? "anthropic",
    scripted: options.scripted ?? false,
    scheduler,
    contextWindow: (model) => facts(model).contextWindow,

    async stream(request, on, signal) {
      // The SDK would look for other credentials, or fail on the header in words that help nobody.
      if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
        const what =
          options.apiKey === "" ? "No API key is set" : "The API key has characters that no key has";
        throw new ModelError("authentication", what);
      }
      let failures = 0;
      let limited = 0;
      for (;;) {
        const release = await waiting(request, signal, (until) =>
          scheduler.acquire(request.requester, until),
        );
        let error: ModelError;
        try {
          return await attempt(client, facts(request.model), request, on, signal, idleMs);
        } catch (caught) {
          if (caught instanceof ListenerFailure) throw caught.cause;
          if (!(caught instanceof ModelError)) throw caught;
          error = caught;
        } finally {
          release();
        }
        if (!error.retryable || signal.aborted) throw error;
        const isLimit = error.kind === "rate-limit";
        if (isLimit ? ++limited >= rateLimitAttempts : ++failures >= attempts) throw error;
        const tries = isLimit ? limited : failures;
        // Jitter only upwards: the server's `retry-after` is a minimum.
        const backoff = Math.min(60_000, backoffMs * 2 ** (tries - 1)) * (1 + Math.random() * 0.2);
        const wait = Math.round(error.retryAfterMs ?? backoff);
        on.retry?.(error.message, tries, wait);
        if (isLimit) scheduler.pauseUntil(Date.now() + wait, error.message);
        else await waiting(request, signal, (until) => pauseFor(wait, until));
      }
    },
  };
}

async function attempt(
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
  const idle = watchIdle(idleMs, onAbort);
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
    if (signal.aborted) throw new ModelError("aborted", `The request of ${request.requester} was stopped`);
    if (idle.stalled) {
      throw new ModelError("stalled", `${request.model} sent nothing for ${Math.round(idleMs / 1000)} s`, {
        retryable: true,
      });
    }
    throw fromWire(caught);
  } finally {
    idle.stop();
    signal.removeEventListener("abort", onAbort);
  }
}

/** A listener threw (a journal that cannot be written): not the wire's fault, so it is passed on as it is. */
class ListenerFailure extends Error {
  override readonly name = "ListenerFailure";
}

function heard(tellListener: () => void): void {
  try {
    tellListener();
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

/** How often one that waits looks whether it has to be elsewhere. */
const lookMs = 250;

/** A wait in which nothing is under way, so that it may be left at any moment. */
async function waiting<T>(
  { requester, leaves }: ModelRequest,
  signal: AbortSignal,
  wait: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!leaves) return wait(signal);
  const left = new AbortController();
  const look = setInterval(() => {
    if (leaves()) left.abort();
  }, lookMs);
  try {
    return await wait(AbortSignal.any([signal, left.signal]));
  } catch (error) {
    if (!left.signal.aborted || signal.aborted) throw error;
    throw new ModelError("left", `${requester} is needed elsewhere while it waits`);
  } finally {
    clearInterval(look);
  }
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new ModelError("aborted", "The request was stopped between two attempts"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
