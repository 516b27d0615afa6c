import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { RPCHandler } from "@orpc/server/node";
import { type EndpointFile, endpointFile, endpointPath } from "#shared/contract/loopback.ts";
import type { EndpointRouter } from "../api/router.ts";
import { writeFileAtomically } from "../config/atomic-file.ts";
import { log, printError } from "../log/log.ts";
import { BoundedWork, tooMuch, type WorkUnit } from "./request-queue.ts";
import { sameSecret } from "./sessions.ts";

export interface LocalEndpoint {
  close(): Promise<void>;
}

/** Longer than any brief or answer that the contract takes. */
const maxBodyLength = 1_000_000;

/**
 * Lets terminals of the same user steer the run of one repository; what they may do: `contract/local-endpoint.ts`.
 * @param repository its root
 * @param patience default: the usual one
 */
export async function openLocalEndpoint(
  router: EndpointRouter,
  repository: string,
  stateFolder: string,
  patience?: PeerPatience,
): Promise<LocalEndpoint> {
  const secret = randomBytes(32).toString("base64url");
  const handler = new RPCHandler(router);
  // All holders of the secret are one client: the user, in any number of terminals.
  const work = new BoundedWork<Steering>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { matched } = await handler.handle(request, response, { prefix: endpointPath, context: {} });
      if (matched) return;
      response.writeHead(404);
      response.end();
    } catch (error) {
      printError("a request at the local endpoint failed", error);
      response.destroy();
    }
  };
  const server = createLocalServer((request, response) => {
    const refusal = refusalOf(request, secret, (server.address() as AddressInfo).port);
    if (refusal !== null) {
      log.warn("terminal request refused", { status: refusal });
      response.writeHead(refusal, { connection: "close" });
      response.end();
      return;
    }
    keepConnection(request.socket);
    // An answer may wait for an agent's turn boundary.
    request.socket.setTimeout(0);
    const steering: Steering = {
      request,
      size: Number(request.headers["content-length"]),
      begin: () => answer(request, response),
    };
    if (!work.offer(steering)) return refuse(response);
    // Nothing is done any more for a terminal that has gone before its turn came.
    response.once("close", () => work.forget((one) => one.request === request));
  }, patience);
  // Does not keep the process alive.
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0, exclusive: true }, resolve);
  });
  const path = join(stateFolder, endpointFile);
  const { port } = server.address() as AddressInfo;
  const note: EndpointFile = { pid: process.pid, port, secret, repository };
  await writeFileAtomically(path, JSON.stringify(note));
  return {
    async close() {
      await rm(path, { force: true });
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        // Pending requests still get their answer, but cannot keep the host from ending.
        setTimeout(() => server.closeAllConnections(), 300).unref();
      });
    },
  };
}

/** Connections that have shown no secret yet. Every user of the machine can open some; one more closes the oldest. */
const maxStrangers = 128;

const forgetStranger = new WeakMap<Duplex, () => void>();

/** This connection has shown a secret of the user's: no stranger's connection closes it any more. */
export const keepConnection = (socket: Duplex): void => forgetStranger.get(socket)?.();

/** How long a local server waits for a peer, in milliseconds, before it hangs up. */
export interface PeerPatience {
  /** For something to be sent or read. */
  readonly idleMs: number;
  /** For the end of the headers, counted from their first byte. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** How often it checks for late clients; Node's default is twice a minute. */
  readonly lookMs: number;
}

export const defaultPatience: PeerPatience = {
  idleMs: 8_000,
  headersMs: 5_000,
  requestMs: 10_000,
  lookMs: 1_000,
};

/** In PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/**
 * An HTTP server for 127.0.0.1, which every user of the machine can reach: limits what a client may send,
 * hold and wait for before authentication, so that it cannot lock the user out. Handlers that take longer
 * than `idleMs` must lift the socket's timeout.
 *
 * @param tls for a server that others than the machine's own users reach
 */
export function createLocalServer(
  answer: RequestListener,
  patience: PeerPatience = defaultPatience,
  tls: TlsPair | null = null,
): Server {
  const limits = {
    maxHeaderSize: 8_192,
    headersTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    connectionsCheckingInterval: patience.lookMs,
  };
  const server =
    tls === null
      ? createServer(limits, answer)
      : createTlsServer(
          { ...limits, ...tls, minVersion: "TLSv1.2", handshakeTimeout: patience.headersMs },
          answer,
        );
  server.timeout = patience.idleMs;
  const strangers = new Map<string, Duplex>();
  server.on("connection", (socket: Socket) => {
    const peer = peerOf(socket);
    const forget = (): void => void strangers.delete(peer);
    strangers.set(peer, socket);
    forgetStranger.set(socket, forget);
    socket.once("close", forget);
    const [oldest] = strangers.values();
    if (strangers.size > maxStrangers) oldest?.destroy();
  });
  // What a request comes on is another socket, over the one that was counted.
  server.on("secureConnection", (socket: Socket) => {
    const peer = peerOf(socket);
    forgetStranger.set(socket, () => void strangers.delete(peer));
  });
  return server;
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

interface Steering extends WorkUnit {
  readonly request: IncomingMessage;
}

function refuse(response: ServerResponse): void {
  const error = tooMuch("This terminal");
  log.warn("terminal request refused", { status: error.status });
  response.writeHead(error.status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ json: error }));
}

/** The status with which a request is turned away before anything of it is read, or null. */
function refusalOf(request: IncomingMessage, secret: string, port: number): number | null {
  const { authorization = "", host, origin } = request.headers;
  if (host !== `127.0.0.1:${port}` || origin !== undefined) return 403;
  if (!sameSecret(authorization, `Bearer ${secret}`)) return 401;
  if (request.method !== "POST") return 405;
  return Number(request.headers["content-length"] ?? maxBodyLength + 1) > maxBodyLength ? 413 : null;
}
