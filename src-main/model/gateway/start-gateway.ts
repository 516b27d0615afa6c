/**
 * The only way from a worker's sandbox to its model: a server on a Unix socket that holds the key, sends on what its
 * table knows, and counts what it costs. It knows no engine: what to count against and when to stop it asks its caller.
 */
import { chmod, mkdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { noUsage, type Spent, type Usage } from "#shared/domain/spending/usage.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { refuseUnusableKey } from "../anthropic-driver.ts";
import type { ModelListener } from "../driver-interface.ts";
import type { ModelError } from "../model-error.ts";
import type { Metered, Wire } from "../usage-meter.ts";
import { Admission, type Gate, type Hold } from "./admission.ts";
import {
  type ForwardContext,
  type ForwardLimits,
  forward,
  type GatewayRedactor,
  UpstreamFailure,
} from "./forward.ts";
import { GatewayRefusal, type RefusalReason } from "./gateway-refusal.ts";
import { type PreparedBody, prepareBody } from "./request-body.ts";
import { answerHeaders, errorBody, type Route, routeOf, type Upstream, upstreamHeaders } from "./wires.ts";

export interface GatewayLimits extends ForwardLimits {
  readonly connections: number;
  readonly headerBytes: number;
  /** For the head of a request. */
  readonly headMs: number;
  /** For all of a request, its body included. */
  readonly requestMs: number;
  readonly bodyBytes: number;
  /** Of all bodies that are held at the same time. */
  readonly heldBytes: number;
  /** Refusals that are reported in one turn; further ones are refused without a report. */
  readonly reports: number;
}

const defaultLimits: GatewayLimits = {
  connections: 64,
  headerBytes: 16 * 1024,
  headMs: 10_000,
  requestMs: 60_000,
  bodyBytes: 64_000_000,
  heldBytes: 128_000_000,
  reports: 100,
  idleMs: 240_000,
  readMs: 60_000,
  waitMs: 600_000,
  backoffMs: 1_000,
  attempts: 6,
};

export interface RefusedRequest {
  readonly reason: RefusalReason | "removed";
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly message: string;
}

export interface GatewayOptions {
  /** Its folder is made, for this user alone. */
  readonly socketPath: string;
  /** Whose requests these are, for those who wait together. */
  readonly requester: string;
  /** The wires that are served, each with its only endpoint. */
  readonly upstreams: Readonly<Partial<Record<Wire, Upstream>>>;
  /** Asked before each request is sent, again after each wait. */
  readonly gate: Gate;
  /** Micro-dollars. Throws for a model without a price, which is refused then. */
  readonly price: (usage: Usage, model: string) => number;
  /** Once per answer, complete or cut. The end of the answer is passed on after this has resolved. */
  readonly onSpent: (spent: Spent, model: string, isEstimated: boolean) => void | Promise<void>;
  /** What the gateway refused, or removed from a request. The same thing is reported once per turn. */
  readonly onRefused: (refused: RefusedRequest) => void;
  /** A provider's error that the agent gets. */
  readonly onFailed?: (problem: ModelError) => void;
  readonly onRetry?: NonNullable<ModelListener["retry"]>;
  /** Has to know the keys. */
  readonly redactor: GatewayRedactor;
  readonly limits?: Partial<GatewayLimits>;
}

export interface Gateway {
  /** From now on requests are answered. */
  openTurn(): void;
  /** Requests that wait are refused, and so are those that arrive; those at the provider are completed. */
  closeTurn(): void;
  /** Keeps requests from being sent, until it is released. Those at the provider are completed. */
  hold(reason: string): Hold;
  /** Resolves when no request is at the provider and the costs of all are recorded. */
  idle(): Promise<void>;
  /** Ends every connection, and counts what was cut by that. */
  close(): Promise<void>;
}

interface GatewayState {
  readonly options: GatewayOptions;
  readonly limits: GatewayLimits;
  readonly admission: Admission;
  readonly forwarding: ForwardContext;
  readonly report: (refused: RefusedRequest) => void;
  heldBytes: number;
}

/** @throws ModelError if a key is unusable, and the system's errors for a socket that cannot be made */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  for (const { apiKey } of Object.values(options.upstreams)) {
    refuseUnusableKey(apiKey);
    if (options.redactor.redact(apiKey).includes(apiKey))
      throw new Error("The redactor of a gateway does not know its key. Add the key to its secrets.");
  }
  const limits = { ...defaultLimits, ...options.limits };
  const admission = new Admission(options.gate);
  const flights = countFlights();
  const reports = reportOnce(limits.reports, options);
  const state: GatewayState = {
    options,
    limits,
    admission,
    report: reports.report,
    heldBytes: 0,
    forwarding: {
      requester: options.requester,
      admission,
      limits,
      redactor: options.redactor,
      begin: flights.begin,
      onRetry: options.onRetry,
      spend: (metered, model) => spend(options, admission, metered, model),
    },
  };
  const served = new Set<Promise<void>>();
  const server = createListener(state, (request, response) => {
    const one = serve(state, request, response).finally(() => served.delete(one));
    served.add(one);
  });
  await listen(server, options.socketPath);
  return {
    openTurn() {
      reports.forget();
      admission.setTurn(true);
    },
    closeTurn: () => admission.setTurn(false),
    hold: (reason) => admission.hold(reason),
    idle: flights.idle,
    async close() {
      admission.setTurn(false);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([closed, ...served]);
      await rm(options.socketPath, { force: true });
    },
  };
}

/** What cannot be recorded could not be held to a budget: it is the last thing that is spent. */
async function spend(
  { price, onSpent }: GatewayOptions,
  admission: Admission,
  { usage, isEstimated }: Metered,
  model: string,
): Promise<void> {
  try {
    await onSpent({ usage, microDollars: price(usage, model), requests: 1 }, model, isEstimated);
  } catch (error) {
    admission.stop(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

function countFlights(): { begin(): () => void; idle(): Promise<void> } {
  let flights = 0;
  const waiting = new Set<() => void>();
  return {
    begin() {
      flights += 1;
      return () => {
        flights -= 1;
        if (flights > 0) return;
        for (const resolve of waiting) resolve();
        waiting.clear();
      };
    },
    idle: () =>
      new Promise((resolve) => {
        if (flights === 0) resolve();
        else waiting.add(resolve);
      }),
  };
}

function createListener(
  { limits, report }: GatewayState,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const server = createServer({
    insecureHTTPParser: false,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(limits.headMs, 1_000),
    keepAlive: false,
  });
  server.maxConnections = limits.connections;
  server.maxHeadersCount = 100;
  // One request for each connection: what a parser might take for a second one is never read.
  server.maxRequestsPerSocket = 1;
  server.on("request", onRequest);
  const refuse = (reason: RefusalReason, message: string): void =>
    report({ reason, method: "?", path: "?", message });
  server.on("drop", () => refuse("limit", `More than ${limits.connections} connections at a time.`));
  server.on("connect", (_, socket: Socket) => {
    refuse("not-served", "CONNECT opens no tunnel here.");
    endPlain(socket, "405 Method Not Allowed");
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET") return socket.destroy();
    refuse("malformed", `This is no request that can be read (${error.code ?? error.message}).`);
    endPlain(socket, error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? "408 Request Timeout" : "400 Bad Request");
  });
  return server;
}

function endPlain(socket: Socket, status: string): void {
  socket.on("error", () => socket.destroy());
  if (!socket.writable || socket.bytesWritten > 0) return void socket.destroy();
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  socket.destroySoon();
}

/** The folder is for this user alone: whoever reaches the socket may spend. */
async function listen(server: Server, path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  // Of a host that ended without closing it.
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  await chmod(path, 0o600);
}

/** Answers one request. Never rejects. */
async function serve(state: GatewayState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { options, admission, report } = state;
  const left = new AbortController();
  response.on("close", () => left.abort());
  // The client is untrusted: its errors only end its connection.
  for (const stream of [request, response]) stream.on("error", () => response.destroy());
  response.shouldKeepAlive = false;
  const [path = ""] = (request.url ?? "").split("?", 1);
  const what = { method: request.method ?? "", path: startOf(options.redactor.redact(path), 200) };
  let wire = (Object.keys(options.upstreams) as Wire[])[0] ?? "anthropic";
  let held = 0;
  try {
    const route = routeOf(request, (one) => options.upstreams[one] !== undefined);
    const upstream = route && options.upstreams[route.wire];
    if (!route || !upstream || request.headers.upgrade !== undefined)
      throw new GatewayRefusal(
        "not-served",
        "Only requests to a model and its list of models are served here.",
      );
    wire = route.wire;
    const headers = upstreamHeaders(wire, upstream, request.headers);
    let body: PreparedBody | null = null;
    if (route.kind !== "models") {
      const verdict = admission.verdict();
      if (verdict instanceof GatewayRefusal) throw verdict;
      const text = await readBody(request, state, (bytes) => {
        held += bytes;
      });
      body = prepared(route, text, options);
      for (const name of body.removed)
        report({ reason: "removed", ...what, message: `${name} was removed from a request.` });
    }
    await forward({ route, upstream, headers, body, response, signal: left.signal }, state.forwarding);
  } catch (error) {
    answerError(state, response, wire, what, error);
  } finally {
    state.heldBytes -= held;
  }
}

function prepared(route: Route, text: string, { price, redactor }: GatewayOptions): PreparedBody {
  const body = prepareBody(route.wire, text, route.model);
  try {
    price(noUsage, body.model);
  } catch (error) {
    throw new GatewayRefusal("model", error instanceof Error ? error.message : String(error));
  }
  return { ...body, text: redactor.redact(body.text) };
}

/** @param onHeld is told how many bytes more are held */
async function readBody(
  request: IncomingMessage,
  state: GatewayState,
  onHeld: (bytes: number) => void,
): Promise<string> {
  const { bodyBytes, heldBytes } = state.limits;
  const tooLarge = (): GatewayRefusal =>
    new GatewayRefusal("too-large", `The request has more than ${bodyBytes / 1e6} MB. Send less.`);
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity")
    throw new GatewayRefusal(
      "malformed",
      `The body is compressed (${startOf(encoding, 20)}). Send it as it is.`,
    );
  if (Number(request.headers["content-length"] ?? 0) > bodyBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    state.heldBytes += chunk.length;
    onHeld(chunk.length);
    if (bytes > bodyBytes) throw tooLarge();
    if (state.heldBytes > heldBytes)
      throw new GatewayRefusal("limit", "Too many large requests at a time. Send them one after the other.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function answerError(
  { options, report }: GatewayState,
  response: ServerResponse,
  wire: Wire,
  what: Pick<RefusedRequest, "method" | "path">,
  error: unknown,
): void {
  const { redact } = options.redactor;
  if (error instanceof UpstreamFailure) options.onFailed?.(error.problem);
  const refusal = error instanceof GatewayRefusal ? error : null;
  const isAway = response.destroyed || response.closed;
  if (refusal || !(isAway || error instanceof UpstreamFailure))
    report({ reason: refusal?.reason ?? "failed", ...what, message: redact(messageOf(error)) });
  if (response.headersSent || isAway) return void response.destroy();
  if (error instanceof UpstreamFailure) {
    const { status, headers, body } = error.answer ?? {
      status: 502,
      headers: new Headers({ "content-type": "application/json" }),
      body: errorBody(wire, 502, `Hox: ${error.problem.message} ${error.problem.remedy}`),
    };
    response.writeHead(status, answerHeaders(headers, redact));
    response.end(redact(body));
    return;
  }
  const status = refusal?.status ?? 500;
  response.writeHead(status, {
    "content-type": "application/json",
    // So that the host knows its own refusals, and the agent's client does not repeat the request.
    "x-hox-refusal": refusal?.reason ?? "failed",
    "x-should-retry": "false",
  });
  response.end(redact(errorBody(wire, status, `Hox: ${messageOf(error)}`)));
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reports each refusal once in a turn: an agent may repeat it a million times. */
function reportOnce(
  max: number,
  { onRefused }: GatewayOptions,
): { report(refused: RefusedRequest): void; forget(): void } {
  const known = new Set<string>();
  return {
    report(refused) {
      const key = `${refused.reason} ${refused.method} ${refused.path} ${refused.message}`;
      if (known.has(key) || known.size >= max) return;
      known.add(key);
      onRefused(refused);
    },
    forget: () => known.clear(),
  };
}
