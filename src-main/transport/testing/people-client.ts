/** A browser of a person, as far as a server can see it: HTTPS and WebSockets with the headers that a page sends. */
import { type IncomingHttpHeaders, request as plainRequest } from "node:http";
import { request } from "node:https";
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/websocket";
import { WebSocket } from "ws";
import { fillingLink, type HoxClient } from "#shared/contract/contract.ts";
import { socketPath, socketProtocols, tokenOf } from "#shared/contract/loopback.ts";

export interface Server {
  readonly port: number;
  readonly origin: string;
  /** Of the certificate; null: it does not encrypt, and stands behind a proxy. */
  readonly ca: string | null;
}

type Headers = Readonly<Record<string, string | undefined>>;
interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

const kept = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;

const hostOf = (server: Server): string => new URL(server.origin).host;

/** A header of undefined is left out. */
export function ask(
  server: Server,
  path: string,
  { method = "GET", headers = {}, body }: { method?: string; headers?: Headers; body?: string } = {},
): Promise<Answer> {
  const options = {
    ...{ host: "127.0.0.1", port: server.port, path, method, setHost: false },
    headers: kept({ host: hostOf(server), ...headers }),
  };
  return new Promise((resolve, reject) => {
    const sent =
      server.ca === null
        ? plainRequest(options)
        : request({ ...options, ca: server.ca, servername: "localhost" });
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** What the page posts for a session. */
export const askForSession = (server: Server, body: object, headers: Headers = {}): Promise<Answer> =>
  ask(server, "/session", {
    method: "POST",
    headers: { origin: server.origin, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** Opens an invitation. @returns the identity that the page keeps */
export async function accept(server: Server, address: string): Promise<string> {
  const { status, body } = await askForSession(server, { token: tokenOf(new URL(address).hash) });
  if (status !== 200) throw new Error(body);
  return (JSON.parse(body) as { session: string }).session;
}

export interface Window {
  readonly client: HoxClient;
  /** Resolves with the code with which it was closed. */
  readonly closed: Promise<number>;
  close(): void;
}

/** @returns an open socket, or the status with which it was refused */
export function openWindow(
  server: Server,
  session: string,
  {
    headers = {},
    origin = server.origin,
    show = null,
  }: { headers?: Headers; origin?: string | null; show?: string | null } = {},
): Promise<Window | number> {
  const scheme = server.ca === null ? "ws" : "wss";
  const socket = new WebSocket(
    `${scheme}://127.0.0.1:${server.port}${socketPath}`,
    socketProtocols(session),
    {
      headers: kept({ host: hostOf(server), ...headers }),
      ...(origin === null ? {} : { origin }),
      ...(server.ca === null ? {} : { ca: server.ca, servername: "localhost" }),
    },
  );
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  return new Promise((resolve, reject) => {
    socket.on("open", () => {
      const link = new RPCLink({ websocket: socket as unknown as globalThis.WebSocket });
      const client: HoxClient = createORPCClient(
        fillingLink(link, () => ({ repository: show, run: null })) as typeof link,
      );
      resolve({ client, closed, close: () => socket.close() });
    });
    socket.on("unexpected-response", (_, response) => {
      socket.on("error", () => undefined);
      socket.terminate();
      resolve(response.statusCode ?? 0);
    });
    socket.on("error", reject);
  });
}
