import { chmod } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { forwardRequest } from "./forward-request.ts";
import { HostUnreachable, NetworkRefusal, type RefusedConnection, shown } from "./network-refusal.ts";
import { type AnswerStatus, plainAnswer } from "./plain-answer.ts";
import type { ProxyContext, ProxyLimits } from "./proxy-context.ts";
import type { RouteOptions } from "./route.ts";
import { Traffic } from "./traffic.ts";
import { tunnel } from "./tunnel.ts";

export const defaultProxyLimits: ProxyLimits = {
  connections: 128,
  headerBytes: 16 * 1024,
  headMs: 10_000,
  connectMs: 10_000,
  idleMs: 180_000,
  sentBytes: 2 ** 28,
  receivedBytes: 2 ** 33,
  reports: 100,
};

export interface ProxyOptions extends Omit<RouteOptions, "connectTimeoutMs"> {
  readonly limits: ProxyLimits;
  /** Told once for each different target and reason. */
  readonly onRefused: (refused: RefusedConnection) => void;
}

export interface FilteringProxy {
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Listens on a Unix socket, for one command, and lets through what the list opens. */
export async function startFilteringProxy(
  socketPath: string,
  options: ProxyOptions,
): Promise<FilteringProxy> {
  const { limits } = options;
  const sockets = new Set<Duplex>();
  let isClosed = false;
  const report = reportOnce(limits.reports, options.onRefused);
  const context: ProxyContext = {
    route: { ...options, connectTimeoutMs: limits.connectMs },
    limits,
    traffic: new Traffic(limits, (direction) => {
      const most = direction === "sent" ? limits.sentBytes : limits.receivedBytes;
      const message = `One command may have ${most} bytes ${direction} over the network. Split what it does.`;
      report(new NetworkRefusal("limit", `bytes ${direction}`, message));
      for (const socket of sockets) socket.destroy();
    }),
    own(socket) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      // Strangers stand at both ends: their errors are the end of their connection and nothing more.
      socket.on("error", () => socket.destroy());
      if (isClosed) socket.destroy();
    },
    refuse(error) {
      if (error instanceof HostUnreachable) return { status: 502, message: error.message, reason: null };
      const refusal = error instanceof NetworkRefusal ? error : failure(error);
      report(refusal);
      return { status: statusOf(refusal), message: refusal.message, reason: refusal.reason };
    },
  };

  const server = createServer({
    insecureHTTPParser: false,
    requireHostHeader: true,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headMs,
    // An upload may take its time; its idle time is bounded.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(limits.headMs, 1_000),
    keepAlive: false,
  });
  server.maxConnections = limits.connections;
  server.maxHeadersCount = 100;
  // One request for each connection: what a parser might take for a second one is never read.
  server.maxRequestsPerSocket = 1;
  server.timeout = limits.idleMs;
  server.on("connection", (socket: Socket) => context.own(socket));
  server.on("drop", () => {
    const message = `One command may have ${limits.connections} connections at a time. Let it wait for some to end.`;
    report(new NetworkRefusal("limit", "connections", message));
  });
  server.on("request", (request, response) => void forwardRequest(request, response, context));
  server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    void tunnel(request, socket, head, context);
  });
  server.on("clientError", (error: NodeJS.ErrnoException & { reason?: string }, socket: Socket) => {
    if (!socket.writable || socket.bytesWritten > 0) return socket.destroy();
    const why = error.reason ?? error.code ?? error.message;
    const { status, message } = context.refuse(
      new NetworkRefusal(
        "malformed",
        "request",
        `This is no request that can be let through: ${shown(why)}.`,
      ),
    );
    socket.end(plainAnswer(status, message));
  });
  await listen(server, socketPath);
  await chmod(socketPath, 0o600);
  return {
    close() {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A fault of ours ends one connection, never the host; it is told like a refusal. */
function failure(error: unknown): NetworkRefusal {
  const why = error instanceof Error ? error.message : String(error);
  return new NetworkRefusal(
    "failed",
    "request",
    `Hox could not carry this out (${shown(why)}). Please report it.`,
  );
}

function statusOf({ reason }: NetworkRefusal): AnswerStatus {
  switch (reason) {
    case "malformed":
      return 400;
    case "failed":
      return 502;
    default:
      return 403;
  }
}

/** A command may ask a million times: what is new is told, until so much was new that it is no news any more. */
function reportOnce(
  most: number,
  tell: (refused: RefusedConnection) => void,
): (refusal: NetworkRefusal) => void {
  const logged = new Set<string>();
  return ({ reason, target, message }) => {
    const key = `${reason} ${target}`;
    if (logged.has(key) || logged.size > most) return;
    logged.add(key);
    if (logged.size <= most) tell({ reason, target, message });
    else
      tell({
        reason: "limit",
        target: "refusals",
        message: `This command was refused more than ${most} different targets; further ones are refused unsaid.`,
      });
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
