import { randomBytes } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { addressPath, sessionPath, socketPath, socketProtocol } from "#shared/contract/loopback.ts";
import type { HostRouter } from "../api/router.ts";
import type { Host } from "../host-interface.ts";
import { createLocalServer, type PeerPatience } from "./local-server.ts";
import { createLineHandler, serveLine, type Wire } from "./serve-line.ts";
import { SessionClients } from "./session-clients.ts";
import { Sessions, sameSecret, tokenMinutes } from "./sessions.ts";
import { contentSecurityPolicy, fileFor, sendFile } from "./static-files.ts";

/** The loopback server could not start; the remedy says what to do. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

export interface LoopbackOptions {
  /** 0 or left out: any free one. */
  readonly port?: number;
  /** The built renderer. */
  readonly files: string;
  /** A token was exchanged for a session; it lets nobody in any more. */
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
  /** Whoever shows it gets another address (`POST /address`). */
  readonly secret: string;
  /** Sockets that are open now. */
  readonly clients: number;
  close(): Promise<void>;
}

const longestBody = 4_096;
const longestFrame = 8_000_000;
const pingMs = 30_000;
const exchange = z.union([
  z.strictObject({ token: z.string().max(200) }),
  z.strictObject({ session: z.string().max(200) }),
]);

class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Serves the renderer and the contract on 127.0.0.1 only. How a browser gets in: `contract/loopback.ts`. */
export async function serveLoopback(host: Host, options: LoopbackOptions): Promise<LoopbackServer> {
  const sessions = new Sessions(options.now);
  const secret = randomBytes(32).toString("base64url");
  const server = createLocalServer((request, response) => {
    answer(request, response).catch((error: unknown) => refuse(response, error));
  }, options.patience);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: longestFrame,
    perMessageDeflate: false,
    handleProtocols: () => socketProtocol,
  });
  const handler = createLineHandler(host.router as HostRouter);
  const clients = new SessionClients();

  const port = await listen(server, options.port ?? 0);
  const address = (): string => `http://127.0.0.1:${port}/#token=${sessions.issueToken()}`;
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];

  /** A page of another site that resolves to this machine sends its own name. */
  const checkHost = (request: IncomingMessage): string => {
    const name = request.headers.host;
    if (name === undefined || !names.includes(name))
      throw new Refused(403, "This host answers to 127.0.0.1 only.");
    return name;
  };
  const checkOrigin = (request: IncomingMessage, name: string): void => {
    if (request.headers.origin !== `http://${name}`)
      throw new Refused(403, "This request comes from another page.");
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = checkHost(request);
    response.setHeader("content-security-policy", contentSecurityPolicy(`ws://${name}`));
    response.setHeader("x-content-type-options", "nosniff");
    response.setHeader("referrer-policy", "no-referrer");
    response.setHeader("cross-origin-opener-policy", "same-origin");
    response.setHeader("cross-origin-resource-policy", "same-origin");
    // The raw path: a URL parser would resolve the dots that must be refused.
    const path = (request.url ?? "/").replace(/[?#].*$/su, "");
    if (request.method === "POST" && path === addressPath) return tellAddress(request, response);
    if (request.method === "POST") return exchangeFor(request, response, path, name);
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new Refused(405, "Only GET and POST are known here.");
    if (request.headers.origin !== undefined) checkOrigin(request, name);
    const file = await fileFor(options.files, path);
    if (file === null) throw new Refused(404, "There is no such file.");
    sendFile(file, path, response, request.method === "GET");
  }

  /** A terminal of the same user has read the secret; a page cannot send this without an Origin. */
  function tellAddress({ headers }: IncomingMessage, response: ServerResponse): void {
    if (headers.origin !== undefined) throw new Refused(403, "Pages get no address.");
    if (!sameSecret(headers.authorization ?? "", `Bearer ${secret}`))
      throw new Refused(401, "That is not the secret of this host.");
    answerJson(response, 200, { address: address() });
  }

  async function exchangeFor(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    name: string,
  ): Promise<void> {
    checkOrigin(request, name);
    // Forms and text/plain are what another site may send without asking first.
    if (request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
      throw new Refused(415, "Only JSON is taken here.");
    }
    if (path !== sessionPath) throw new Refused(404, "There is nothing to post to.");
    const asked = exchange.safeParse(await bodyOf(request));
    if (!asked.success) throw new Refused(400, "Send a token or a session.");
    const session = "token" in asked.data ? sessions.exchange(asked.data.token) : asked.data.session;
    if (session === null || !sessions.knows(session)) {
      answerJson(response, 403, {
        message: `This address was used already, is older than ${tokenMinutes} minutes, or the host was started again.`,
        remedy: "Run `hox address` where Hox runs, and open what it prints.",
      });
      return;
    }
    answerJson(response, 200, { session });
    if ("token" in asked.data) options.onEntered?.();
  }

  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node has taken its own listener away: a connection that breaks now would end the host.
    const broken = (): void => void socket.destroy();
    socket.on("error", broken);
    let client: ReturnType<SessionClients["enter"]>;
    try {
      checkOrigin(request, checkHost(request));
      if (request.url !== socketPath) throw new Refused(404, "There is no socket here.");
      const protocols = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
      const session = protocols.find((one) => one.startsWith("session."))?.slice("session.".length) ?? "";
      if (!protocols.includes(socketProtocol) || !sessions.knows(session)) {
        throw new Refused(401, "This page has no session.");
      }
      client = clients.enter(session);
      if (client === null) throw new Refused(429, "This session has too many windows open.");
    } catch (error) {
      const { status, message } = error instanceof Refused ? error : new Refused(500, "The host failed.");
      // Nothing more is read of it, whatever the other side still has to say.
      socket.end(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${message}\n`,
        broken,
      );
      return;
    }
    const { queue, leave } = client;
    // Also where the handshake itself fails.
    socket.once("close", leave);
    socket.off("error", broken);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on("error", () => opened.terminate());
      serveLine(handler, queue, wireOf(opened));
    });
  });

  const pings = setInterval(() => {
    for (const client of sockets.clients) client.ping();
  }, pingMs);
  pings.unref();

  return {
    port,
    address,
    secret,
    get clients() {
      return sockets.clients.size;
    },
    close: async () => {
      clearInterval(pings);
      for (const client of sockets.clients) client.close(1001, "The host ends.");
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        setTimeout(() => {
          for (const client of sockets.clients) client.terminate();
          server.closeAllConnections();
        }, 300);
      });
    },
  };
}

const wireOf = (socket: WebSocket): Wire => ({
  send: (data) => new Promise<void>((resolve) => socket.send(data, () => resolve())),
  onMessage: (listener) =>
    void socket.on("message", (data, isBinary) => listener(isBinary ? null : data.toString())),
  onClose: (listener) => void socket.on("close", listener),
  hangUp: () => socket.close(1008, "That is no message of a Hox client."),
  pause: () => socket.pause(),
  resume: () => socket.resume(),
});

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestBody) throw new Refused(413, "That is too long.");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new Refused(400, "That is not JSON.");
  }
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-store");
  response.writeHead(status);
  response.end(JSON.stringify(body));
}

function refuse(response: ServerResponse, error: unknown): void {
  const { status, message } = error instanceof Refused ? error : new Refused(500, "The host failed.");
  if (!(error instanceof Refused)) console.error("Hox: a request failed:", error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.setHeader("connection", "close");
  response.writeHead(status);
  response.end(`${message}\n`);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") {
        reject(
          new ServerError(
            `Port ${port} is taken by another program.`,
            "Give another one with --port, or none to get any free one.",
          ),
        );
      } else if (error.code === "EACCES") {
        reject(new ServerError(`Port ${port} may not be used.`, "Give one above 1023 with --port."));
      } else reject(error);
    });
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("The server has no port."));
      else resolve(address.port);
    });
  });
}
