import Anthropic from "@anthropic-ai/sdk";
import type { Usage } from "#shared/domain/spending/usage.ts";
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
  /** How often a request may fail while others get answers, or with an answer that nobody can read. Default 6. */
  readonly attempts?: number;
}

/** So often a request fails by itself before it is taken for an outage. */
const failuresBeforeOutage = 3;

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
    longestAnswer: (model) => facts(model).maxOutput,

    async stream(request, on, signal) {
      // The SDK would look for other credentials, or fail on the header in words that help nobody.
      if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
        throw new ModelError(
          "authentication",
          options.apiKey === "" ? "none is set" : "it has characters that no key has",
        );
      }
      let failures = 0;
      /** Failures since anybody got an answer. */
      let unanswered = 0;
      /** Failures of this request alone, while others got answers. */
      let own = 0;
      let limited = 0;
      let answers = scheduler.answers;
      let toldOutage = false;
      for (;;) {
        const release = await waiting(request, signal, (until) =>
          scheduler.acquire(request.requester, until),
        );
        let wait: number | null = null;
        try {
          const answer = await attempt(client, facts(request.model), request, on, signal, idleMs);
          scheduler.answered();
          return answer;
        } catch (caught) {
          if (caught instanceof ListenerFailure) throw caught.cause;
          if (!(caught instanceof ModelError)) throw caught;
          if (signal.aborted) throw caught;
          // Jitter only upwards: the server's `retry-after` is a minimum.
          const backoff = (tries: number): number =>
            Math.round(
              caught.retryAfterMs ?? Math.min(60_000, backoffMs * 2 ** tries) * (1 + Math.random() * 0.2),
            );
          switch (caught.course) {
            case "at-once":
            case "shorter":
              scheduler.answered();
              throw caught;
            case "limit": {
              limited += 1;
              const pause = backoff(limited - 1);
              on.retry?.(caught.message, limited, pause);
              scheduler.pauseUntil(Date.now() + pause, caught.message, caught.remedy);
              break;
            }
            case "few":
            case "again":
            case "outage":
              failures += 1;
              if (scheduler.answers > answers) unanswered = 0;
              unanswered += 1;
              if (caught.course === "few" || (caught.course === "again" && unanswered === 1)) own += 1;
              answers = scheduler.answers;
              if (own >= attempts) throw caught;
              if (scheduler.state.pause === null && unanswered < failuresBeforeOutage) {
                wait = backoff(failures - 1);
                on.retry?.(caught.message, failures, wait);
              } else if (caught.course === "few") wait = backoff(failures - 1);
              else {
                scheduler.outage({
                  reason: caught.message,
                  remedy: caught.remedy,
                  retryAfterMs: caught.retryAfterMs,
                });
                // Once for each that waits, however often it is tried.
                const { pause } = scheduler.state;
                if (!toldOutage && pause)
                  on.retry?.(caught.message, failures, Math.max(0, (pause.until ?? 0) - Date.now()));
                toldOutage = true;
              }
          }
        } finally {
          release();
        }
        if (wait !== null) {
          const ms = wait;
          await waiting(request, signal, (until) => pauseFor(ms, until));
        }
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
    if (signal.aborted) throw new ModelError("aborted", `that of ${request.requester}`);
    if (idle.stalled) {
      throw new ModelError("stalled", `${request.model} sent nothing for ${Math.round(idleMs / 1000)} s`);
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
      reject(new ModelError("aborted", "between two attempts"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
