import { createServer, type RequestListener, type Server } from "node:http";

/** Windows of one person, each with its few connections; every user of the machine can take one of them. */
const mostConnections = 128;

/** How long a local server waits for a peer, in milliseconds, before it hangs up. */
export interface PeerPatience {
  /** For something to be sent or read. */
  readonly idleMs: number;
  /** For the end of the headers, counted from their first byte. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** How often it looks for who is late. Node does so twice a minute by itself. */
  readonly lookMs: number;
}

export const usualPatience: PeerPatience = {
  idleMs: 8_000,
  headersMs: 5_000,
  requestMs: 10_000,
  lookMs: 1_000,
};

/**
 * An HTTP server for 127.0.0.1, where every user of the machine can knock: what somebody may send, hold and wait for
 * before they have shown a secret is little. Whoever answers later than `idleMs` lifts the socket's timeout.
 */
export function createLocalServer(answer: RequestListener, patience: PeerPatience = usualPatience): Server {
  const server = createServer(
    {
      maxHeaderSize: 8_192,
      headersTimeout: patience.headersMs,
      requestTimeout: patience.requestMs,
      connectionsCheckingInterval: patience.lookMs,
    },
    answer,
  );
  server.maxConnections = mostConnections;
  server.timeout = patience.idleMs;
  return server;
}
