/** The machine's end of the connection to its host: it dials, and dials again. */
import type { Duplex } from "node:stream";
import { ORPCError } from "@orpc/server";
import { RPCHandler } from "@orpc/server/ws";
import { WebSocket } from "ws";
import { z } from "zod";
import { leaseTimes } from "#shared/domain/places/lease.ts";
import {
  maxMessageBytes,
  type OfferedProgram,
  offeredProgramHeader,
  parseOffer,
} from "../machine-contract.ts";
import { askHost, JoinRefused, pinnedConnection } from "./host-request.ts";
import type { Machine } from "./machine.ts";

export const credentials = z.object({ id: z.string(), key: z.string() });
export type Credentials = Readonly<z.infer<typeof credentials>>;

/** Exchanges an invitation for a key. @throws JoinRefused */
export async function enrol(address: URL, invitation: string, name: string): Promise<Credentials> {
  const { status, body } = await askHost(address, { body: { invitation, name } });
  if (status !== 200 && status !== 403)
    throw new JoinRefused(
      `${address.host} does not understand the request of this worker (HTTP ${status}).`,
      "Look whether the address is that of a Hox, and whether --name has only letters, digits, dots, dashes and underscores.",
    );
  if (status === 403)
    throw new JoinRefused(
      "The invitation does not count: it was used, is older than an hour, or is of another host.",
      "Make another one on the host: hox workers invite",
    );
  const answer = credentials.safeParse(parsedOrNull(body));
  if (answer.success) return answer.data;
  throw new JoinRefused(
    `${address.host} answered, but with no key: it may not be a Hox.`,
    "Look whether the address is right, and make another invitation on the host: hox workers invite",
  );
}

function parsedOrNull(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}

export const authorizationOf = ({ id, key }: Credentials): string => `Worker ${id}:${key}`;

interface ServeOptions {
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  /** It is connected: what the host offers as the program of machines. Not any more: undefined. */
  readonly offered?: (program: OfferedProgram | null | undefined) => void;
}

const maxSilenceMs = leaseTimes.goneMs;
const retryMs = { first: 500, most: 5_000 } as const;

/** Serves a machine to its host until the signal. Rejects only where the host refuses the key. */
export async function serveHost(
  machine: Machine,
  address: URL,
  known: Credentials,
  { signal, print, offered = () => {} }: ServeOptions,
): Promise<void> {
  const handler = new RPCHandler(machine.router, {
    interceptors: [
      async ({ next }) => {
        try {
          return await next();
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error);
          print(message);
          // The host names the cause, too.
          throw error instanceof ORPCError ? error : new ORPCError("INTERNAL_SERVER_ERROR", { message });
        }
      },
    ],
  });
  let waitMs: number = retryMs.first;
  while (!signal.aborted) {
    const connected = (program: OfferedProgram | null): void => {
      waitMs = retryMs.first;
      print(`Connected to ${address.host}.`);
      offered(program);
    };
    const end = await serveOnce(handler, address, authorizationOf(known), signal, connected);
    offered(undefined);
    if (signal.aborted) return;
    if (end === 401)
      throw new JoinRefused(
        `${address.host} refuses the key of this worker.`,
        "It may have been removed: join again with another invitation (hox workers invite). Several addresses of one join have to be hosts of one pool.",
      );
    print(`Not connected to ${address.host}. Trying again.`);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      signal.addEventListener("abort", () => resolve(), { once: true });
      signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    });
    waitMs = Math.min(waitMs * 2, retryMs.most);
  }
}

/** @returns the status with which the host refused it, or null */
async function serveOnce(
  handler: RPCHandler<Record<never, never>>,
  address: URL,
  authorization: string,
  signal: AbortSignal,
  connected: (program: OfferedProgram | null) => void,
): Promise<number | null> {
  let connection: Duplex | undefined;
  try {
    connection = await pinnedConnection(address);
  } catch (error) {
    if (error instanceof JoinRefused) throw error;
    return null;
  }
  const url = new URL(address);
  url.hash = "";
  return new Promise((resolve) => {
    const socket = new WebSocket(url, {
      headers: { authorization },
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
      handshakeTimeout: 10_000,
      ...(connection === undefined ? {} : { createConnection: () => connection }),
    });
    let status: number | null = null;
    let program: OfferedProgram | null = null;
    const end = (): void => socket.close(1001);
    signal.addEventListener("abort", end, { once: true });
    socket.on("unexpected-response", (_, response) => {
      status = response.statusCode ?? null;
      socket.terminate();
    });
    socket.on("upgrade", ({ headers }) => {
      program = parseOffer(headers[offeredProgramHeader]);
    });
    // A host that is gone without a word: then the connection is of no use, and its places are frozen already.
    let silence = setTimeout(() => socket.terminate(), maxSilenceMs);
    socket.on("message", () => {
      clearTimeout(silence);
      silence = setTimeout(() => socket.terminate(), maxSilenceMs);
    });
    socket.on("open", () => {
      connected(program);
      void handler.upgrade(socket);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(silence);
      signal.removeEventListener("abort", end);
      resolve(status);
    });
  });
}
