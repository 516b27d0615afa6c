import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import type { HostRouter } from "../api/router.ts";
import type { Host } from "../host-interface.ts";
import { createLoopbackEntrance } from "./entrance.ts";
import { createLocalServer, type PeerPatience } from "./local-endpoint.ts";
import { createRequestAnswerer } from "./page-requests.ts";
import { refuse } from "./request-refusal.ts";
import { createSessionSockets } from "./session-sockets.ts";
import { Sessions } from "./sessions.ts";

/** The loopback server could not start; the remedy says what to do. */
export class ServerError extends RemediedError {
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
  const port = await listen(server, "127.0.0.1", options.port ?? 0);
  const addressWith = (token: string): string => `http://127.0.0.1:${port}/#token=${token}`;
  const address = (): string => addressWith(sessions.issueToken());
  const entrance = createLoopbackEntrance(port, sessions);
  const sockets = createSessionSockets(host.router as HostRouter, entrance);
  const answer = createRequestAnswerer({
    entrance,
    addresses: { secret, address },
    files: options.files,
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
    close: () => closeServer(server, sockets),
  };
}

/** Says goodbye to all windows, and cuts off those that do not answer. */
export function closeServer(server: Server, sockets: { close(): void; terminate(): void }): Promise<void> {
  sockets.close();
  return new Promise<void>((resolve) => {
    server.close(() => resolve());
    setTimeout(() => {
      sockets.terminate();
      server.closeAllConnections();
    }, goodbyeMs);
  });
}

/** @returns the port @throws ServerError where it cannot listen there */
export function listen(server: Server, address: string, port: number): Promise<number> {
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
      } else if (error.code === "EADDRNOTAVAIL") {
        reject(
          new ServerError(
            `${address} is not an address of this machine.`,
            "Choose one of this machine with --listen; 0.0.0.0 means all of them.",
          ),
        );
      } else reject(error);
    });
    server.listen({ host: address, port, exclusive: true }, () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("The server has no port."));
      else resolve(address.port);
    });
  });
}
