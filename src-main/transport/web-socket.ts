import { createHash, randomBytes } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { addressPath, sessionPath, socketPath, socketProtocol } from "#shared/contract/loopback.ts";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import type { HostRouter } from "../api/router.ts";
import type { Host } from "../host-interface.ts";
import { log, printError } from "../log/log.ts";
import { createLocalServer, keepConnection, type PeerPatience } from "./local-endpoint.ts";
import { RequestQueue } from "./request-queue.ts";
import { createLineHandler, serveLine, type Wire } from "./serve-line.ts";
import { Sessions, sameSecret, tokenMinutes } from "./sessions.ts";
import { contentSecurityPolicy, fileFor, sendFile } from "./static-files.ts";

/** The loopback server could not start; the remedy says what to do. */
class ServerError extends RemediedError {
  override readonly name = "ServerError";
}

export interface LoopbackOptions {
  /** 0 or left out: any free one. */
  readonly port?: number;
  /** The built renderer. */
  readonly files: string;
  /** A token was exchanged for a session and is not valid any more. */
  readonly onEntered?: () => void;
  /** Milliseconds, for how long an address is good. */
  readonly now?: () => number;
  /** Default: the usual one. */
  readonly patience?: PeerPatience;
}

export interface LoopbackServer {
  readonly port: number;
  /** An address that lets one browser in, once, within some minutes. */
  address(): string;
  /** An address for a window that the host opens on its own machine: it may start programs there. */
  ownAddress(): string;
  /** Whoever shows it gets another address (`POST /address`). */
  readonly secret: string;
  /** Sockets that are open now. */
  readonly clients: number;
  close(): Promise<void>;
}

/** Sockets that do not answer a closing handshake are cut off after this. */
const goodbyeMs = 300;

/** Serves the renderer and the contract on 127.0.0.1 only. How a browser gets in: `contract/loopback.ts`. */
export async function serveLoopback(host: Host, options: LoopbackOptions): Promise<LoopbackServer> {
  const sessions = new Sessions(options.now);
  const secret = randomBytes(32).toString("base64url");
  const server = createLocalServer((request, response) => {
    answer(request, response).catch((error: unknown) => refuse(response, error));
  }, options.patience);
  const port = await listen(server, options.port ?? 0);
  const addressWith = (token: string): string => `http://127.0.0.1:${port}/#token=${token}`;
  const address = (): string => addressWith(sessions.issueToken());
  const guard = createLoopbackGuard(port);
  const sockets = createLoopbackSockets(host.router as HostRouter, guard, sessions);
  const answer = createRequestAnswerer({
    guard,
    sessions,
    secret,
    files: options.files,
    address,
    onEntered: () => options.onEntered?.(),
  });
  server.on("upgrade", sockets.upgrade);

  return {
    port,
    address,
    ownAddress: () => addressWith(sessions.issueToken(true)),
    secret,
    get clients() {
      return sockets.count;
    },
    close: () => {
      sockets.close();
      return new Promise<void>((resolve) => {
        server.close(() => resolve());
        setTimeout(() => {
          sockets.terminate();
          server.closeAllConnections();
        }, goodbyeMs);
      });
    },
  };
}

const maxBodyLength = 4_096;

/** A request that gets nothing but a status and a line that says why. */
class RequestRefusal extends Error {
  override readonly name = "RequestRefusal";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The error for the client; internal errors without details. */
const refusalOf = (error: unknown): RequestRefusal =>
  error instanceof RequestRefusal ? error : new RequestRefusal(500, "Internal error.");

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyLength) throw new RequestRefusal(413, "The request is too large.");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new RequestRefusal(400, "The request is not JSON.");
  }
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-store");
  response.writeHead(status);
  response.end(JSON.stringify(body));
}

function refuse(response: ServerResponse, error: unknown): void {
  const { status, message } = refusalOf(error);
  if (error instanceof RequestRefusal) log.warn("request refused", { status, reason: message });
  else printError("a request failed", error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.setHeader("connection", "close");
  response.writeHead(status);
  response.end(`${message}\n`);
}

/** The same on a bare socket. Nothing more is read of it, whatever the other side still has to say. */
function refuseSocket(socket: Duplex, error: unknown, ended: () => void): void {
  const { status, message } = refusalOf(error);
  log.warn("socket refused", { status, reason: message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${message}\n`,
    ended,
  );
}

type LoopbackGuard = ReturnType<typeof createLoopbackGuard>;

/** Keeps pages of other sites out, also those whose name resolves to this machine. */
function createLoopbackGuard(port: number) {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  return {
    /**
     * The name that the request calls this host by. A page of another site that resolves to this machine sends its own
     * name. @throws RequestRefusal when it is not this machine's own
     */
    checkHost({ headers }: IncomingMessage): string {
      if (headers.host === undefined || !names.includes(headers.host))
        throw new RequestRefusal(403, "Use 127.0.0.1 or localhost.");
      return headers.host;
    },
    /** @param name as `checkHost` answered @throws RequestRefusal when the request comes from another page */
    checkOrigin({ headers }: IncomingMessage, name: string): void {
      if (headers.origin !== `http://${name}`)
        throw new RequestRefusal(403, "The request is from another website.");
    },
  };
}

const maxFrameBytes = 8_000_000;
const pingMs = 30_000;

/** The contract on WebSockets, each of a session that the guard let in. */
function createLoopbackSockets(router: HostRouter, guard: LoopbackGuard, sessions: Sessions) {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    handleProtocols: () => socketProtocol,
  });
  const handler = createLineHandler(router);
  const clients = new SessionClients();
  const pings = setInterval(() => {
    for (const client of sockets.clients) client.ping();
  }, pingMs);
  pings.unref();

  const enter = (request: IncomingMessage) => {
    guard.checkOrigin(request, guard.checkHost(request));
    const session = sessionOf(request, sessions);
    const client = clients.enter(session);
    if (client === null) throw new RequestRefusal(429, "This session has too many windows open.");
    return { ...client, isOwnMachine: sessions.isOwnMachine(session) };
  };

  return {
    /** Takes an upgrade request, or refuses it. */
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      // Node has taken its own listener away: a connection that breaks now would end the host.
      const broken = (): void => void socket.destroy();
      socket.on("error", broken);
      let client: ReturnType<typeof enter>;
      try {
        client = enter(request);
      } catch (error) {
        refuseSocket(socket, error, broken);
        return;
      }
      keepConnection(socket);
      const { queue, leave, isOwnMachine } = client;
      // Also where the handshake itself fails.
      socket.once("close", leave);
      socket.off("error", broken);
      sockets.handleUpgrade(request, socket, head, (opened) => {
        opened.on("error", () => opened.terminate());
        serveLine(handler, queue, wireOf(opened), isOwnMachine);
      });
    },
    /** How many are open now. */
    get count(): number {
      return sockets.clients.size;
    },
    /** Says goodbye to all of them; pings end. */
    close(): void {
      clearInterval(pings);
      for (const client of sockets.clients) client.close(1001, "Hox is shutting down.");
    },
    /** Those that did not answer. */
    terminate(): void {
      for (const client of sockets.clients) client.terminate();
    },
  };
}

/** Maximum of windows, with room for reconnecting ones before the old socket is found dead. */
const maxSockets = 24;

interface Client {
  readonly queue: RequestQueue;
  sockets: number;
}

/** All windows of one session are one client: opening more of them, or the same again, gives no more of the host. */
class SessionClients {
  /** By the hash of the session, which is nowhere kept as it is. */
  readonly #clients = new Map<string, Client>();

  /** The requests of a session for one more socket, or null when it has too many; `leave` gives its place back. */
  enter(session: string): { readonly queue: RequestQueue; readonly leave: () => void } | null {
    // A client that left may still have running work, whose limits it would escape with each new socket.
    for (const [key, { sockets, queue }] of this.#clients)
      if (sockets === 0 && queue.isIdle) this.#clients.delete(key);
    const key = createHash("sha256").update(session).digest("base64");
    const client = this.#clients.get(key) ?? { queue: new RequestQueue(), sockets: 0 };
    if (client.sockets >= maxSockets) return null;
    client.sockets++;
    this.#clients.set(key, client);
    return {
      queue: client.queue,
      leave: () => {
        client.sockets--;
      },
    };
  }
}

/** @throws RequestRefusal when the page shows no session that is known */
function sessionOf({ url, headers }: IncomingMessage, sessions: Sessions): string {
  if (url !== socketPath) throw new RequestRefusal(404, "No socket at this path.");
  const protocols = (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
  const session = protocols.find((one) => one.startsWith("session."))?.slice("session.".length) ?? "";
  if (!protocols.includes(socketProtocol) || !sessions.knows(session)) {
    throw new RequestRefusal(401, "This page has no session.");
  }
  return session;
}

const wireOf = (socket: WebSocket): Wire => ({
  send: (data) => new Promise<void>((resolve) => socket.send(data, () => resolve())),
  onMessage: (listener) =>
    void socket.on("message", (data, isBinary) => listener(isBinary ? null : data.toString())),
  onClose: (listener) => void socket.on("close", listener),
  hangUp: () => socket.close(1008, "Not a message of a Hox client."),
  pause: () => socket.pause(),
  resume: () => socket.resume(),
});

interface LoopbackRequestParts {
  readonly guard: LoopbackGuard;
  readonly sessions: Sessions;
  /** Whoever shows it gets another address. */
  readonly secret: string;
  /** The built renderer. */
  readonly files: string;
  /** A new address that lets one browser in. */
  address(): string;
  /** A token was exchanged for a session. */
  onEntered(): void;
}

const exchange = z.union([
  z.strictObject({ token: z.string().max(200) }),
  z.strictObject({ session: z.string().max(200) }),
]);

/** Answers what is no socket: the renderer's files, a session for a token, another address. Rejects with a refusal. */
const createRequestAnswerer =
  (parts: LoopbackRequestParts) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const name = parts.guard.checkHost(request);
    setSecurityHeaders(response, name);
    // The raw path: a URL parser would resolve the dots that must be refused.
    const path = (request.url ?? "/").split(/[?#]/u, 1)[0] ?? "";
    if (request.method === "POST")
      return path === addressPath
        ? sendAddress(parts, request, response)
        : exchangeSession(parts, request, response, path, name);
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new RequestRefusal(405, "Only GET and POST are supported.");
    if (request.headers.origin !== undefined) parts.guard.checkOrigin(request, name);
    const file = await fileFor(parts.files, path);
    if (file === null) throw new RequestRefusal(404, "File not found.");
    sendFile(file, path, response, request.method === "GET");
  };

function setSecurityHeaders(response: ServerResponse, name: string): void {
  response.setHeader("content-security-policy", contentSecurityPolicy(`ws://${name}`));
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-opener-policy", "same-origin");
  response.setHeader("cross-origin-resource-policy", "same-origin");
}

/** A terminal of the same user has read the secret; a page cannot send this without an Origin. */
function sendAddress(
  { secret, address }: LoopbackRequestParts,
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  if (headers.origin !== undefined) throw new RequestRefusal(403, "Web pages can't request an address.");
  if (!sameSecret(headers.authorization ?? "", `Bearer ${secret}`))
    throw new RequestRefusal(401, "Wrong secret for this host.");
  answerJson(response, 200, { address: address() });
}

async function exchangeSession(
  { guard, sessions, onEntered }: LoopbackRequestParts,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  name: string,
): Promise<void> {
  guard.checkOrigin(request, name);
  // Forms and text/plain are what another site may send without asking first.
  if (request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new RequestRefusal(415, "Only JSON is accepted.");
  }
  if (path !== sessionPath) throw new RequestRefusal(404, "Nothing to post to at this path.");
  const asked = exchange.safeParse(await bodyOf(request));
  if (!asked.success) throw new RequestRefusal(400, "Send a token or a session.");
  const session = "token" in asked.data ? sessions.exchange(asked.data.token) : asked.data.session;
  if (session === null || !sessions.knows(session)) {
    answerJson(response, 403, {
      message: `This address was already used, is older than ${tokenMinutes} minutes, or Hox was restarted.`,
      remedy: "Run `hox address` on the machine where Hox runs, and open the address that it prints.",
    });
    return;
  }
  answerJson(response, 200, { session });
  if ("token" in asked.data) onEntered();
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") {
        reject(
          new ServerError(
            `Port ${port} is in use by another program.`,
            "Choose another port with --port, or omit --port for any free port.",
          ),
        );
      } else if (error.code === "EACCES") {
        reject(new ServerError(`Port ${port} is not allowed.`, "Choose a port above 1023 with --port."));
      } else reject(error);
    });
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("The server has no port."));
      else resolve(address.port);
    });
  });
}
