import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { socketPath, socketProtocol } from "#shared/contract/loopback.ts";
import type { HostRouter } from "../api/router.ts";
import { RequestRefusal, refuseSocket } from "./http-answers.ts";
import { keepConnection } from "./local-server.ts";
import type { LoopbackGuard } from "./loopback-guard.ts";
import { createLineHandler, serveLine, type Wire } from "./serve-line.ts";
import { SessionClients } from "./session-clients.ts";
import type { Sessions } from "./sessions.ts";

const maxFrameBytes = 8_000_000;
const pingMs = 30_000;

export interface LoopbackSockets {
  /** Takes an upgrade request, or refuses it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** How many are open now. */
  readonly count: number;
  /** Says goodbye to all of them; pings end. */
  close(): void;
  /** Those that did not answer. */
  terminate(): void;
}

/** The contract on WebSockets, each of a session that the guard let in. */
export function createLoopbackSockets(
  router: HostRouter,
  guard: LoopbackGuard,
  sessions: Sessions,
): LoopbackSockets {
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
    upgrade(request, socket, head) {
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
    get count() {
      return sockets.clients.size;
    },
    close() {
      clearInterval(pings);
      for (const client of sockets.clients) client.close(1001, "Hox is shutting down.");
    },
    terminate() {
      for (const client of sockets.clients) client.terminate();
    },
  };
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
