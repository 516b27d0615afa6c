import type { IncomingMessage } from "node:http";
import { socketPath, socketProtocol } from "#shared/contract/loopback.ts";
import { RequestRefusal } from "./request-refusal.ts";
import { type Sessions, tokenMinutes } from "./sessions.ts";

/** Who may use a window's socket. */
export interface Entered {
  /** All windows of one client share its limits: the session, or the name of a person. */
  readonly client: string;
  readonly isOwnMachine: boolean;
  /** Left out: the user who started the host. */
  readonly person?: string;
  /** Whether they would be let in again, with the same roles. Left out: always. */
  readonly isStillIn?: () => boolean;
}

/** What a page sends for a session: a one-time token, a session that it has, or nothing where a proxy says who it is. */
type SessionRequest = { readonly token: string } | { readonly session: string } | { readonly proxy: true };

/** Which requests a server takes, and who they are from. */
export interface Entrance {
  /** The name that a request calls this host by. @throws RequestRefusal where it is not one of its own */
  checkHost(request: IncomingMessage): string;
  /** @param name as `checkHost` answered @throws RequestRefusal where the request comes from another page */
  checkOrigin(request: IncomingMessage, name: string): void;
  /** Whether pages and sockets come encrypted to the browser. */
  readonly isSecure: boolean;
  /** @throws RequestRefusal for a socket that nobody is known by */
  enter(request: IncomingMessage): Entered;
  /** A session for what a page sent, or why there is none. */
  exchange(asked: SessionRequest, request: IncomingMessage): { readonly session: string } | NoSession;
}

interface NoSession {
  readonly message: string;
  readonly remedy: string;
}

/** The session that a page shows when it opens a socket, or an empty text. @throws RequestRefusal for what is no socket of Hox */
export function shownSession({ url, headers }: IncomingMessage): string {
  if (url !== socketPath) throw new RequestRefusal(404, "No socket at this path.");
  const protocols = (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
  if (!protocols.includes(socketProtocol)) throw new RequestRefusal(401, "This page has no session.");
  return protocols.find((one) => one.startsWith("session."))?.slice("session.".length) ?? "";
}

/** Lets in those who were shown a one-time address of this machine. Keeps pages of other sites out, also those whose name resolves to it. */
export function createLoopbackEntrance(port: number, sessions: Sessions): Entrance {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  return {
    isSecure: false,
    checkHost({ headers }) {
      if (headers.host === undefined || !names.includes(headers.host))
        throw new RequestRefusal(403, "Use 127.0.0.1 or localhost.");
      return headers.host;
    },
    checkOrigin({ headers }, name) {
      if (headers.origin !== `http://${name}`)
        throw new RequestRefusal(403, "The request is from another website.");
    },
    enter(request) {
      const session = shownSession(request);
      if (!sessions.knows(session)) throw new RequestRefusal(401, "This page has no session.");
      return { client: session, isOwnMachine: sessions.isOwnMachine(session) };
    },
    exchange(asked) {
      const session =
        "token" in asked ? sessions.exchange(asked.token) : "session" in asked ? asked.session : null;
      if (session !== null && sessions.knows(session)) return { session };
      return {
        message: `This address was already used, is older than ${tokenMinutes} minutes, or Hox was restarted.`,
        remedy: "Run `hox address` on the machine where Hox runs, and open the address that it prints.",
      };
    },
  };
}
