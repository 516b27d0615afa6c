/** One request on its way to the provider: attempts, their waits, and the answer that is passed on as it comes. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { ReadableStream } from "node:stream/web";
import { Stream } from "@anthropic-ai/sdk/core/streaming";
import { ModelError } from "../model-error.ts";
import { createRequestRetries, pauseUnlessNeeded, waitUnlessNeeded } from "../request-retries.ts";
import { watchIdle } from "../stream-answer.ts";
import { createMeter, type Metered } from "../usage-meter.ts";
import { fromConnection, fromErrorAnswer } from "../wire-error.ts";
import type { Upstream } from "./gateway-interface.ts";
import { GatewayRefusal } from "./gateway-refusal.ts";
import type { GatewayState } from "./gateway-state.ts";
import type { PreparedBody } from "./request-body.ts";
import { answerHeaders, type Route } from "./wires.ts";

export interface Forwarded {
  readonly route: Route;
  readonly upstream: Upstream;
  readonly headers: Record<string, string>;
  /** Null: a request without a body, which is free. */
  readonly body: PreparedBody | null;
  /** In which it arrived. */
  readonly turn: number;
  /** Whether it may be sent outside of a turn. */
  readonly isOpen: boolean;
  readonly response: ServerResponse;
  /** Fires when the agent has disconnected. */
  readonly signal: AbortSignal;
}

/** The provider did not answer, or with an error that the agent gets. */
export class UpstreamFailure extends Error {
  override readonly name = "UpstreamFailure";
  readonly problem: ModelError;
  readonly answer: { readonly status: number; readonly headers: Headers; readonly body: string } | null;

  constructor(problem: ModelError, answer: UpstreamFailure["answer"] = null) {
    super(problem.message);
    this.problem = problem;
    this.answer = answer;
  }
}

/**
 * Sends a request, waits out what passes by waiting, and passes the answer on.
 *
 * @throws GatewayRefusal if it may not be sent, UpstreamFailure if there is no answer; nothing was passed on then. Any
 *   other error breaks an answer off
 */
export async function forward(forwarded: Forwarded, state: GatewayState): Promise<void> {
  const { signal, turn, isOpen, upstream } = forwarded;
  const { admission, limits, options } = state;
  const { requester, onRetry } = options;
  const { scheduler } = upstream;
  const isSent = (): boolean => isOpen || admission.verdict(turn) === "send";
  const request = { requester, leaves: () => !isSent() };
  const afterFailure = createRequestRetries({ ...limits, scheduler }, onRetry ? { retry: onRetry } : {});
  const patience = AbortSignal.timeout(limits.waitMs);
  let failure: UpstreamFailure | null = null;
  for (;;) {
    if (!isOpen) await admission.admit(turn, signal);
    const waiting = AbortSignal.any([signal, patience]);
    let release: (() => void) | null = null;
    try {
      release = await waitUnlessNeeded(request, waiting, (until) => acquirePlace(state, upstream, until));
      if (!isSent()) continue;
      await attempt(forwarded, state);
      scheduler.answered();
      return;
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) {
        if (error instanceof ModelError && error.kind === "left") continue;
        if (patience.aborted && !signal.aborted && release === null) throw failure ?? waitedInVain(upstream);
        throw error;
      }
      // Its error is the end that the agent has made.
      signal.throwIfAborted();
      failure = error;
    } finally {
      release?.();
    }
    const wait = waitAfter(failure, afterFailure);
    if (wait === null) continue;
    await pauseUnlessNeeded(request, waiting, wait).catch((error: unknown) => {
      if (patience.aborted && !signal.aborted) throw failure;
      if (!(error instanceof ModelError) || error.kind !== "left") throw error;
    });
  }
}

/** One of the worker's own places first: no worker may take those of all others. */
async function acquirePlace(
  { options: { requester }, places }: GatewayState,
  { scheduler }: Upstream,
  until: AbortSignal,
): Promise<() => void> {
  const leave = await places.acquire(requester, until);
  try {
    const release = await scheduler.acquire(requester, until);
    return () => {
      release();
      leave();
    };
  } catch (error) {
    leave();
    throw error;
  }
}

/** @throws the failure if another attempt would not help */
function waitAfter(
  failure: UpstreamFailure,
  afterFailure: (problem: ModelError) => number | null,
): number | null {
  try {
    return afterFailure(failure.problem);
  } catch {
    throw failure;
  }
}

function waitedInVain({ scheduler }: Upstream): GatewayRefusal {
  const { pause } = scheduler.state;
  return new GatewayRefusal(
    pause?.kind === "outage" ? "outage" : "rate-limit",
    pause ? `${pause.reason} ${pause.remedy}` : "Too many requests wait for the provider. Try again later.",
  );
}

/** What cannot be recorded could not be held to a budget: it is the last thing that is spent. */
async function spend(
  { options, admission }: GatewayState,
  { usage, isEstimated }: Metered,
  model: string,
): Promise<void> {
  try {
    await options.onSpent(
      { usage, microDollars: options.price(usage, model), requests: 1 },
      model,
      isEstimated,
    );
  } catch (error) {
    admission.stop(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** What one attempt costs, told once. */
interface Bill {
  /** An event of the answer, or all of it. The cost is told when it is the last, before anybody sees it. */
  count(event: unknown): Promise<void>;
  settle(isCut: boolean): Promise<void>;
}

function createBill({ route, body }: Forwarded, state: GatewayState): Bill {
  const meter = createMeter(route.wire);
  let isSettled = route.kind !== "answer" || body === null;
  const settle = async (isCut: boolean): Promise<void> => {
    if (isSettled || body === null) return;
    isSettled = true;
    const metered = meter.soFar(body.inputEstimate, isCut);
    if (metered) await spend(state, metered, body.model);
  };
  return {
    async count(event) {
      if (isSettled) return;
      meter.count(event);
      if (meter.isComplete) await settle(false);
    },
    settle,
  };
}

async function attempt(forwarded: Forwarded, state: GatewayState): Promise<void> {
  const { signal, body, route } = forwarded;
  const stop = new AbortController();
  const idle = watchIdle(state.limits.idleMs, body?.model ?? route.wire, () => stop.abort());
  const bill = createBill(forwarded, state);
  const end = state.begin();
  try {
    const answer = await send(forwarded, AbortSignal.any([signal, stop.signal])).catch(
      async (error: unknown) => {
        // It was sent, and how far the provider came is unknown.
        if (signal.aborted || idle.problem) await bill.settle(true);
        // Its error is the end that the agent has made.
        signal.throwIfAborted();
        throw new UpstreamFailure(idle.problem ?? fromConnection(error));
      },
    );
    await refuseErrors(route, answer, idle);
    try {
      await passOn(idle.watch(answer), forwarded, state, bill, idle);
    } catch (error) {
      await bill.settle(true);
      throw error;
    }
  } finally {
    idle.stop();
    stop.abort();
    end();
  }
}

const send = ({ upstream, route, headers, body }: Forwarded, signal: AbortSignal): Promise<Response> =>
  fetch(`${upstream.baseUrl.replace(/\/$/u, "")}${route.path}`, {
    method: body === null ? "GET" : "POST",
    headers: body === null ? headers : { ...headers, "content-type": "application/json" },
    body: body?.text ?? null,
    redirect: "manual",
    signal,
  });

/** Of an answer with an error. */
const maxErrorBytes = 1_000_000;

async function refuseErrors(
  { wire }: Route,
  answer: Response,
  idle: ReturnType<typeof watchIdle>,
): Promise<void> {
  const { status, headers } = answer;
  const type = headers.get("content-type") ?? "none";
  const isAnswer = /^(?:application\/json|text\/event-stream)\b/iu.test(type);
  if (answer.ok && isAnswer) return;
  const text: string[] = [];
  let bytes = 0;
  try {
    for await (const chunk of idle.watch(answer).body ?? []) {
      bytes += chunk.length;
      if (bytes > maxErrorBytes) break;
      text.push(Buffer.from(chunk).toString("utf8"));
    }
  } catch (error) {
    throw new UpstreamFailure(idle.problem ?? fromConnection(error));
  }
  if (answer.ok) throw new UpstreamFailure(new ModelError("malformed", `its content type is ${type}`));
  if (status < 400)
    throw new UpstreamFailure(
      new ModelError("proxy", `HTTP status ${status}, a redirect that is not followed`),
    );
  const body = text.join("");
  throw new UpstreamFailure(fromErrorAnswer(wire, answer, body), { status, headers, body });
}

/** Byte by byte as it comes. What a chunk costs is recorded before the chunk is passed on. */
async function passOn(
  answer: Response,
  { response, signal }: Forwarded,
  { options: { redactor }, limits }: GatewayState,
  bill: Bill,
  idle: ReturnType<typeof watchIdle>,
): Promise<void> {
  const isStream = /^text\/event-stream/iu.test(answer.headers.get("content-type") ?? "");
  response.writeHead(answer.status, answerHeaders(answer.headers, redactor.redact));
  const redacted = redactor.stream();
  // In Latin-1 every byte is a character, so that all of them stay as they are.
  const write = async (text: string): Promise<void> => {
    if (text === "" || response.write(text, "latin1")) return;
    response.socket?.setTimeout(limits.readMs);
    await once(response, "drain", { signal });
    response.socket?.setTimeout(0);
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of answer.body ?? []) {
      yield chunk;
      await write(redacted.push(Buffer.from(chunk).toString("latin1")));
    }
    // An event that has no empty line after it is one, too.
    yield Buffer.from("\n\n");
  }
  if (isStream) {
    const events = Stream.rawEvents(new Response(ReadableStream.from(chunks()) as never));
    for await (const { data } of events) {
      idle.event();
      if (data.trim() === "[DONE]") await bill.settle(false);
      else if (data !== "") await bill.count(JSON.parse(data));
    }
  } else {
    const whole: Uint8Array[] = [];
    for await (const chunk of chunks()) {
      idle.event();
      whole.push(chunk);
    }
    const parsed: unknown = JSON.parse(Buffer.concat(whole).toString("utf8"));
    for (const event of Array.isArray(parsed) ? parsed : [parsed]) await bill.count(event);
  }
  await bill.settle(false);
  await write(redacted.end());
  response.end();
}
