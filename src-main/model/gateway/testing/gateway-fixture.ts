/** A gateway on a real Unix socket, and an agent's side of it. */
import { type IncomingHttpHeaders, request as openRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Spent } from "#shared/domain/spending/usage.ts";
import { tempDir } from "../../../testing/kit.ts";
import { createRedactor } from "../../../tools/redact.ts";
import type { ModelError } from "../../model-error.ts";
import { createRateLimit, type RateLimit } from "../../rate-limit.ts";
import type { Wire } from "../../usage-meter.ts";
import type { GateReason, Gateway, GatewayOptions, RefusedRequest, Upstream } from "../gateway-interface.ts";
import { startGateway } from "../start-gateway.ts";

/** The real key, which no agent may ever see. */
export const canary = "sk-canary-0123456789abcdef";
/** Of one token; no model of a test has another price. */
export const tokenPrice = 3;

export interface GatewayUnderTest {
  readonly gateway: Gateway;
  readonly socketPath: string;
  readonly scheduler: RateLimit;
  /** What was told to the host, in order. */
  readonly spent: { readonly spent: Spent; readonly model: string; readonly isEstimated: boolean }[];
  readonly refused: RefusedRequest[];
  readonly held: GateReason[];
  readonly failed: ModelError[];
  readonly retries: string[];
}

export async function gatewayTo(
  baseUrl: string,
  over: Partial<GatewayOptions> & {
    readonly wires?: readonly Wire[];
    readonly upstream?: Partial<Upstream>;
    readonly isTurnOpen?: boolean;
  } = {},
): Promise<GatewayUnderTest> {
  const {
    wires = ["anthropic", "openai-responses", "openai-chat", "gemini"],
    upstream,
    isTurnOpen = true,
    ...options
  } = over;
  const scheduler = upstream?.scheduler ?? createRateLimit();
  const socketPath = options.socketPath ?? join(tempDir(), "sockets", "model.sock");
  const told = { spent: [], refused: [], held: [], failed: [], retries: [] } as Pick<
    GatewayUnderTest,
    "spent" | "refused" | "held" | "failed" | "retries"
  >;
  const gateway = await startGateway({
    socketPath,
    requester: "agent-1",
    upstreams: Object.fromEntries(
      wires.map((wire) => [
        wire,
        {
          baseUrl: wire.startsWith("openai") ? `${baseUrl}/v1` : baseUrl,
          apiKey: canary,
          scheduler,
          ...upstream,
        },
      ]),
    ),
    gate: () => null,
    onHeld: (reason) => told.held.push(reason),
    price: (usage, model) => {
      if (model.startsWith("unknown")) throw new Error(`There is no price for ${model}. Add its price.`);
      return tokenPrice * Object.values(usage).reduce((sum, count) => sum + count, 0);
    },
    onSpent: (spent, model, isEstimated) => void told.spent.push({ spent, model, isEstimated }),
    onRefused: (refused) => told.refused.push(refused),
    onFailed: (problem) => told.failed.push(problem),
    onRetry: (reason) => told.retries.push(reason),
    redactor: createRedactor([canary]),
    ...options,
    limits: { backoffMs: 1, attempts: 2, ...options.limits },
  });
  onTestFinished(() => gateway.close());
  if (isTurnOpen) gateway.openTurn();
  return { gateway, socketPath, scheduler, ...told };
}

export interface AgentAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface AgentRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Called with each piece of the answer. */
  readonly onData?: (text: string) => void;
}

/** What an agent's client does; it has a key that is none. */
export function ask(
  { socketPath }: Pick<GatewayUnderTest, "socketPath">,
  asked: AgentRequest,
): Promise<AgentAnswer> {
  const { method = asked.body === undefined ? "GET" : "POST", path, headers, body, signal, onData } = asked;
  return new Promise((resolve, reject) => {
    const request = openRequest({
      socketPath,
      method,
      path,
      agent: false,
      headers: {
        host: "api.example.com",
        "content-type": "application/json",
        "x-api-key": "dummy-key-of-the-agent",
        authorization: "Bearer dummy-key-of-the-agent",
        ...headers,
      },
      ...(signal ? { signal } : {}),
    });
    request.on("error", reject);
    request.on("response", (response) => {
      if (onData) response.on("data", (chunk: Buffer) => onData(chunk.toString("utf8")));
      readText(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        reject,
      );
    });
    request.end(typeof body === "string" || body === undefined ? body : JSON.stringify(body));
  });
}

/** Writes bytes as they are; answers with all that comes until the other side ends. */
export function askRaw(
  { socketPath }: Pick<GatewayUnderTest, "socketPath">,
  bytes: string,
  { end = false }: { readonly end?: boolean } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("error", (error: NodeJS.ErrnoException) =>
      ["EPIPE", "ECONNRESET"].includes(error.code ?? "") ? resolve(text) : reject(error),
    );
    socket.on("close", () => resolve(text));
    socket.on("end", () => socket.end());
    if (end) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** One request of each wire that costs something, streamed. */
export const requests: Readonly<
  Record<Wire, AgentRequest & { readonly body: Readonly<Record<string, unknown>> }>
> = {
  anthropic: {
    path: "/v1/messages?beta=true",
    headers: { "anthropic-version": "2023-06-01" },
    body: {
      model: "claude-sonnet-5-5",
      max_tokens: 100,
      stream: true,
      system: [{ type: "text", text: "Hox-Role: agent-1" }],
      messages: [{ role: "user", content: [{ type: "text", text: "Speak." }] }],
    },
  },
  "openai-responses": {
    path: "/v1/responses",
    body: { model: "gpt-5-5", stream: true, input: [{ role: "user", content: "Speak." }] },
  },
  "openai-chat": {
    path: "/v1/chat/completions",
    body: { model: "gpt-5-5", stream: true, messages: [{ role: "user", content: "Speak." }] },
  },
  gemini: {
    path: "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
    body: { contents: [{ role: "user", parts: [{ text: "Speak." }] }] },
  },
};
