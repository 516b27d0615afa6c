import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { HostRouter } from "../api/router.ts";
import type { Host } from "../host-interface.ts";
import { refuse } from "./http-answers.ts";
import { createLocalServer, type PeerPatience } from "./local-server.ts";
import { createLoopbackGuard } from "./loopback-guard.ts";
import { createRequestAnswerer } from "./loopback-requests.ts";
import { createLoopbackSockets } from "./loopback-sockets.ts";
import { Sessions } from "./sessions.ts";

/** The loopback server could not start; the remedy says what to do. */
class ServerError extends Error {
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
  /** The same for a window that the host opens itself, on the screen of its own machine: it may start programs there. */
  ownAddress(): string;
  /** Whoever shows it gets another address (`POST /address`). */
  readonly secret: string;
  /** Sockets that are open now. */
  readonly clients: number;
  close(): Promise<void>;
}

/** Sockets that did not answer a goodbye are cut off after so long. */
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
