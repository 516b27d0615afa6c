/** The machine's end of the connection to its host: it dials, and dials again. */
import { ORPCError } from "@orpc/server";
import { RPCHandler } from "@orpc/server/ws";
import { WebSocket } from "ws";
import { z } from "zod";
import { leaseTimes } from "#shared/domain/places/lease.ts";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { maxMessageBytes } from "../machine-contract.ts";
import type { Machine } from "./machine.ts";

/** Where the host takes connections of machines. */
export const machinesPath = "/workers";

export class JoinRefused extends RemediedError {
  override readonly name = "JoinRefused";
}

const loopbackNames: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

/**
 * The address of a host. Without TLS only on this machine: the key and the files are readable on the way.
 * @throws JoinRefused
 */
export function hostAddress(text: string): URL {
  const spelled = /^[a-z]+:\/\//iu.test(text) ? text : `ws://${text}`;
  if (!URL.canParse(spelled))
    throw new JoinRefused(`"${text}" is no address.`, "Give one such as wss://hox.example.org.");
  const url = new URL(spelled);
  if (url.protocol === "http:") url.protocol = "ws:";
  if (url.protocol === "https:") url.protocol = "wss:";
  if (url.protocol !== "wss:" && !(url.protocol === "ws:" && loopbackNames.includes(url.hostname)))
    throw new JoinRefused(
      `${url.hostname} is another machine, and the address has no TLS.`,
      "Use an address with wss://, or an SSH tunnel: ssh -N -L 4646:127.0.0.1:4646 <host>, then ws://127.0.0.1:4646.",
    );
  url.pathname = machinesPath;
  return url;
}

export const credentials = z.object({ id: z.string(), key: z.string() });
export type Credentials = Readonly<z.infer<typeof credentials>>;

/** Exchanges an invitation for a key. @throws JoinRefused */
export async function enrol(address: URL, invitation: string, name: string): Promise<Credentials> {
  const url = new URL(address);
  url.protocol = url.protocol === "wss:" ? "https:" : "http:";
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ invitation, name }),
  }).catch((error: unknown) => {
    throw new JoinRefused(
      `No Hox answers at ${url.origin}: ${(error as Error).cause instanceof Error ? ((error as Error).cause as Error).message : String(error)}.`,
      "Start Hox there, then retry.",
    );
  });
  if (!response.ok && response.status !== 403)
    throw new JoinRefused(
      `${url.host} does not understand the request of this worker (HTTP ${response.status}).`,
      "Look whether the address is that of a Hox, and whether --name has only letters, digits, dots, dashes and underscores.",
    );
  if (!response.ok)
    throw new JoinRefused(
      "The invitation does not count: it was used, is older than an hour, or is of another host.",
      "Make another one on the host: hox workers invite",
    );
  const answer = credentials.safeParse(await response.json().catch(() => null));
  if (answer.success) return answer.data;
  throw new JoinRefused(
    `${url.host} answered, but with no key: it may not be a Hox.`,
    "Look whether the address is right, and make another invitation on the host: hox workers invite",
  );
}

const maxSilenceMs = leaseTimes.goneMs;
const retryMs = { first: 500, most: 5_000 } as const;

/** Serves a machine to its host until the signal. Rejects only where the host refuses the key. */
export async function serveHost(
  machine: Machine,
  address: URL,
  { id, key }: Credentials,
  { signal, print }: { readonly signal: AbortSignal; readonly print: (line: string) => void },
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
    const end = await serveOnce(handler, address, `Worker ${id}:${key}`, signal, () => {
      waitMs = retryMs.first;
      print(`Connected to ${address.host}.`);
    });
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
function serveOnce(
  handler: RPCHandler<Record<never, never>>,
  address: URL,
  authorization: string,
  signal: AbortSignal,
  connected: () => void,
): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = new WebSocket(address, {
      headers: { authorization },
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
      handshakeTimeout: 10_000,
    });
    let status: number | null = null;
    const end = (): void => socket.close(1001);
    signal.addEventListener("abort", end, { once: true });
    socket.on("unexpected-response", (_, response) => {
      status = response.statusCode ?? null;
      socket.terminate();
    });
    // A host that is gone without a word: then the connection is of no use, and its places are frozen already.
    let silence = setTimeout(() => socket.terminate(), maxSilenceMs);
    socket.on("message", () => {
      clearTimeout(silence);
      silence = setTimeout(() => socket.terminate(), maxSilenceMs);
    });
    socket.on("open", () => {
      connected();
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
