/**
 * The only way from a worker's sandbox to its model: a server on a Unix socket that holds the key, sends on what its
 * table knows, and counts what it costs. It knows no engine: what to count against and when to stop it asks its caller.
 */
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { listenPrivately } from "../../config/listen-privately.ts";
import { refuseUnusableKey } from "../anthropic-driver.ts";
import { createRateLimit } from "../rate-limit.ts";
import { Admission } from "./admission.ts";
import type { Gateway, GatewayLimits, GatewayOptions, RefusedRequest } from "./gateway-interface.ts";
import type { RefusalReason } from "./gateway-refusal.ts";
import type { GatewayState } from "./gateway-state.ts";
import { serveRequest } from "./serve-request.ts";

const defaultLimits: GatewayLimits = {
  requests: 8,
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

/** @throws ModelError if a key is unusable, and the system's errors for a socket that cannot be made */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  for (const { apiKey } of Object.values(options.upstreams)) {
    refuseUnusableKey(apiKey);
    if (options.redactor.redact(apiKey).includes(apiKey))
      throw new Error("The redactor of a gateway does not know its key. Add the key to its secrets.");
  }
  const limits = { ...defaultLimits, ...options.limits };
  const admission = new Admission(options);
  const flights = countFlights();
  const reports = reportOnce(limits.reports, options);
  const state: GatewayState = {
    options,
    limits,
    admission,
    places: createRateLimit({ concurrent: limits.requests }),
    report: reports.report,
    heldBytes: 0,
    begin: flights.begin,
  };
  const served = new Set<Promise<void>>();
  const server = createListener(state, (request, response) => {
    const one = serveRequest(state, request, response).finally(() => served.delete(one));
    served.add(one);
  });
  await listenPrivately(server, options.socketPath);
  return {
    openTurn() {
      reports.forget();
      admission.setTurn(true);
    },
    closeTurn: () => admission.setTurn(false),
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
