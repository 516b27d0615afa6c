import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { socketProtocol } from "#shared/contract/loopback.ts";
import type { HostRouter } from "../api/router.ts";
import type { Entered, Entrance } from "./entrance.ts";
import { keepConnection } from "./local-endpoint.ts";
import { RequestQueue } from "./request-queue.ts";
import { RequestRefusal, refuseSocket } from "./request-refusal.ts";
import { createLineHandler, serveLine, type Wire } from "./serve-line.ts";

const maxFrameBytes = 8_000_000;
const pingMs = 30_000;

/** The contract on WebSockets, each of somebody whom the entrance let in. */
export function createSessionSockets(router: HostRouter, entrance: Entrance) {
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
  const open = new Map<WebSocket, Entered>();

  const enter = (request: IncomingMessage) => {
    entrance.checkOrigin(request, entrance.checkHost(request));
    const entered = entrance.enter(request);
    const client = clients.enter(entered.client);
    if (client === null) throw new RequestRefusal(429, "This session has too many windows open.");
    return { ...client, entered };
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
      const { queue, leave, entered } = client;
      // Also where the handshake itself fails.
      socket.once("close", leave);
      socket.off("error", broken);
      sockets.handleUpgrade(request, socket, head, (opened) => {
        opened.on("error", () => opened.terminate());
        open.set(opened, entered);
        opened.once("close", () => open.delete(opened));
        serveLine(handler, queue, wireOf(opened), entered);
      });
    },
    /** How many are open now. */
    get count(): number {
      return sockets.clients.size;
    },
    /** Hangs up on those who are not let in any more. */
    check(): void {
      for (const [socket, { isStillIn }] of open)
        if (isStillIn && !isStillIn()) socket.close(1008, "Your access has changed.");
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

const wireOf = (socket: WebSocket): Wire => ({
  send: (data) => new Promise<void>((resolve) => socket.send(data, () => resolve())),
  onMessage: (listener) =>
    void socket.on("message", (data, isBinary) => listener(isBinary ? null : data.toString())),
  onClose: (listener) => void socket.on("close", listener),
  hangUp: () => socket.close(1008, "Not a message of a Hox client."),
  pause: () => socket.pause(),
  resume: () => socket.resume(),
});
