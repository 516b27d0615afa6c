import { createServer, type RequestListener, type Server } from "node:http";
import type { Duplex } from "node:stream";

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

/**
 * An HTTP server for 127.0.0.1, which every user of the machine can reach: limits what a client may send,
 * hold and wait for before authentication, so that it cannot lock the user out. Handlers that take longer
 * than `idleMs` must lift the socket's timeout.
 */
export function createLocalServer(answer: RequestListener, patience: PeerPatience = defaultPatience): Server {
  const server = createServer(
    {
      maxHeaderSize: 8_192,
      headersTimeout: patience.headersMs,
      requestTimeout: patience.requestMs,
      connectionsCheckingInterval: patience.lookMs,
    },
    answer,
  );
  server.timeout = patience.idleMs;
  const strangers = new Set<Duplex>();
  server.on("connection", (socket) => {
    const forget = (): void => void strangers.delete(socket);
    strangers.add(socket);
    forgetStranger.set(socket, forget);
    socket.once("close", forget);
    const [oldest] = strangers;
    if (strangers.size > maxStrangers) oldest?.destroy();
  });
  return server;
}
