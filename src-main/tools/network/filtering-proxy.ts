import { chmod } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { networkAuthority, networkHost } from "#shared/domain/network/network-hosts.ts";
import { type ClientHello, readClientHello } from "./client-hello.ts";
import { checkSoleHost, forwardRequest, noBody } from "./forward-request.ts";
import { HostUnreachable, NetworkRefusal, type RefusedConnection, shown } from "./network-refusal.ts";
import {
  type AnswerStatus,
  type ProxyContext,
  type ProxyLimits,
  plainAnswer,
  Traffic,
} from "./proxy-context.ts";
import { canAdd, checkListed, connectTo, type RouteOptions, type Target, targetText } from "./route.ts";

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
  /** Called once for each different target and reason. */
  readonly onRefused: (refused: RefusedConnection) => void;
  /** Whether it takes connections, and passes on what they send, now. Default: always. */
  readonly isOpen?: () => boolean;
}

export interface FilteringProxy {
  /** Ends the connections that there are. */
  disconnect(): void;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Listens on a Unix socket, for one command or agent, and lets through what the list opens. */
export async function startFilteringProxy(
  socketPath: string,
  options: ProxyOptions,
): Promise<FilteringProxy> {
  const { limits } = options;
  const sockets = new Set<Duplex>();
  let isClosed = false;
  const disconnect = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const report = reportOnce(limits.reports, options.onRefused);
  const context: ProxyContext = {
    route: { ...options, connectTimeoutMs: limits.connectMs },
    limits,
    traffic: new Traffic(
      limits,
      (direction) => {
        const max = direction === "sent" ? limits.sentBytes : limits.receivedBytes;
        const message = `No more than ${max} bytes may be ${direction}. Split the work.`;
        report(new NetworkRefusal("limit", `bytes ${direction}`, message));
        disconnect();
      },
      options.isOpen,
    ),
    own(socket) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      // Both ends are untrusted: their errors only end their connection.
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
  server.on("connection", (socket: Socket) => {
    context.own(socket);
    if (options.isOpen?.() === false) socket.destroy();
  });
  server.on("drop", () => {
    const message = `No more than ${limits.connections} connections may be open at a time. Wait for some to end.`;
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
    disconnect,
    close() {
      isClosed = true;
      disconnect();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A fatal alert, `unrecognized_name`: after the tunnel is open, a client listens to nothing but TLS. */
const alert = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

/** `CONNECT host:port`: TLS to the very host that was named, from the first byte on. */
async function tunnel(
  request: IncomingMessage,
  client: Socket,
  head: Buffer,
  context: ProxyContext,
): Promise<void> {
  let isOpen = false;
  try {
    const target = targetOf(request);
    checkListed(context.route, target);
    const server = await connectTo(target, context.route, context.own);
    if (client.destroyed) return void server.destroy();
    // Whoever leaves before the end takes the other side along.
    client.once("close", () => server.destroy());
    isOpen = true;
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    try {
      const first = await readFirstBytes(client, head, target, context);
      if (first === null) {
        client.destroy();
        return;
      }
      if (!context.traffic.count("sent", first.length)) return;
      server.write(first);
    } catch (error) {
      server.destroy();
      throw error;
    }
    await join(client, server, context);
  } catch (error) {
    const { status, message, reason } = context.refuse(error);
    client.end(isOpen && reason !== "plain-http" ? alert : plainAnswer(status, message));
    // What the client still says is read and dropped: closed over it, a socket would take our answer back.
    client.resume();
    client.setTimeout(context.limits.headMs, () => client.destroy());
  }
}

function targetOf(request: IncomingMessage): Target {
  const text = request.url ?? "";
  const target = networkAuthority(text, null);
  if (target === null)
    throw new NetworkRefusal(
      "not-a-host",
      text,
      `"${shown(text)}" is no host and port as CONNECT needs them. Name it as in "example.com:443".`,
    );
  checkSoleHost(request, target, null);
  noBody(request);
  return target;
}

/** The bytes up to the end of the ClientHello, once it names the host of the tunnel. Null: the client went before. */
function readFirstBytes(
  client: Socket,
  head: Buffer,
  target: Target,
  context: ProxyContext,
): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    let bytes = head;
    const timer = setTimeout(() => end(() => reject(notTls(target))), context.limits.headMs);
    const end = (then: () => void): void => {
      clearTimeout(timer);
      client.off("data", onData);
      client.off("close", onClose);
      client.off("end", onClose);
      client.pause();
      then();
    };
    const judge = (): void => {
      const hello = readClientHello(bytes);
      if (hello.kind === "incomplete") return;
      const refusal =
        hello.kind === "not-tls" ? notTls(target, bytes) : refusalOf(hello, target, context.route.setting);
      end(() => (refusal === null ? resolve(bytes) : reject(refusal)));
    };
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      judge();
    };
    const onClose = (): void => end(() => resolve(null));
    client.on("data", onData);
    client.once("close", onClose);
    client.once("end", onClose);
    if (head.length > 0) judge();
  });
}

function refusalOf(
  hello: Extract<ClientHello, { kind: "hello" | "hidden-name" }>,
  target: Target,
  setting: RouteOptions["setting"],
): NetworkRefusal | null {
  const text = targetText(target);
  if (hello.kind === "hidden-name")
    return new NetworkRefusal(
      "hidden-name",
      text,
      `The TLS connection to ${text} hides its name (Encrypted Client Hello), so its target is unknown. Turn that off in the client.`,
    );
  const { host } = target;
  // TLS never names an address.
  if (hello.serverName === null && host.kind === "address") return null;
  const named = hello.serverName === null ? null : networkHost(hello.serverName);
  if (named !== null && named.kind === "name" && host.kind === "name" && named.text === host.text)
    return null;
  return new NetworkRefusal(
    "names-differ",
    text,
    `TLS names ${hello.serverName === null ? "no host" : `"${shown(hello.serverName)}"`} in a tunnel to ${text}. ` +
      `Open a tunnel to the host itself.${canAdd("it", setting)}`,
  );
}

function notTls(target: Target, first?: Buffer): NetworkRefusal {
  const text = targetText(target);
  // Some clients ask for plain HTTP inside of a tunnel; they understand an answer in it.
  if (/^[A-Z]+ /u.test(first?.toString("latin1", 0, 16) ?? ""))
    return new NetworkRefusal(
      "plain-http",
      text,
      `The tunnel to ${text} began with plain HTTP. Only TLS passes through CONNECT: use https, or a client that asks a proxy for plain HTTP without it.`,
    );
  return new NetworkRefusal(
    "not-tls",
    text,
    `The tunnel to ${text} did not begin with TLS, and nothing else passes.`,
  );
}

async function join(client: Socket, server: Socket, context: ProxyContext): Promise<void> {
  for (const socket of [client, server]) socket.setTimeout(context.limits.idleMs, () => socket.destroy());
  const ways = await Promise.allSettled([
    pipeline(client, context.traffic.meter("sent"), server),
    pipeline(server, context.traffic.meter("received"), client),
  ]);
  // A broken connection needs no message: both ends see it.
  if (ways.some(({ status }) => status === "rejected"))
    for (const socket of [client, server]) socket.destroy();
}

/** An internal error ends one connection, never the host; it is reported like a refusal. */
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

/** Reports each refusal once, up to a limit: a client may retry a million times. */
function reportOnce(
  max: number,
  tell: (refused: RefusedConnection) => void,
): (refusal: NetworkRefusal) => void {
  const logged = new Set<string>();
  return ({ reason, target, message }) => {
    const key = `${reason} ${target}`;
    if (logged.has(key) || logged.size > max) return;
    logged.add(key);
    if (logged.size <= max) tell({ reason, target, message });
    else
      tell({
        reason: "limit",
        target: "refusals",
        message: `More than ${max} different targets were refused. Further refusals are not reported.`,
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
