import { createServer, type RequestListener, type Server } from "node:http";

/** Windows of one person, each with its few connections; every user of the machine can take one of them. */
const mostConnections = 128;
/** Who sends or reads nothing for so long is gone. */
const idleMs = 8_000;

/**
 * An HTTP server for 127.0.0.1, where every user of the machine can knock: what somebody may send, hold and wait for
 * before they have shown a secret is little. Whoever answers later than `idleMs` lifts the socket's timeout.
 */
export function createLocalServer(answer: RequestListener): Server {
  const server = createServer(
    {
      maxHeaderSize: 8_192,
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      // Node looks for who is late twice a minute otherwise.
      connectionsCheckingInterval: 1_000,
    },
    answer,
  );
  server.maxConnections = mostConnections;
  server.timeout = idleMs;
  return server;
}
