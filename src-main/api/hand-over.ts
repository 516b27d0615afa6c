/**
 * How a host releases a repository when another one asks for it: an endpoint on 127.0.0.1 whose port and
 * secret are in a file that only this user can read.
 */

import { randomBytes, timingSafeEqual } from "node:crypto";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { startOf } from "#shared/domain/text/format-text.ts";

/** What another host needs to ask. */
export interface HandoverAddress {
  readonly port: number;
  readonly secret: string;
}

export interface HandoverEndpoint extends HandoverAddress {
  close(): void;
}

/** The first word comes at once from a host that is well. */
const firstWordMs = 5_000;
/** Saving ends conversations and records the files of many agents. */
const savingMs = 120_000;
/** A secret and a name fit into this several times; every user of the machine can ask. */
const maxLineLength = 4_096;
/** Who says nothing holds a descriptor of ours until `firstWordMs` are over. */
const maxPendingRequests = 32;

/**
 * Waits for another host to ask for the repository.
 * @param release closes everything and resolves when the repository is free; called with the asking host
 * @param patienceMs timeout for the question of a connected host
 */
export async function openHandoverEndpoint(
  release: (by: string) => Promise<void>,
  patienceMs = firstWordMs,
): Promise<HandoverEndpoint> {
  const secret = randomBytes(32).toString("base64url");
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    void answer(socket, { secret, release, patienceMs }).catch(() => socket.destroy());
  });
  server.maxConnections = maxPendingRequests;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // Does not keep the process alive.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    secret,
    // Pending requests still get their answer.
    close: () => void server.close(),
  };
}

/**
 * Asks the host behind an endpoint to release the repository, and waits until it has saved everything.
 * @param by a readable name of the asking host
 * @returns false if it has ended or does not answer
 */
export async function requestHandover({ port, secret }: HandoverAddress, by: string): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1" });
  const lines = boundedLines(socket, maxLineLength);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    socket.on("error", () => undefined);
    socket.write(`${JSON.stringify({ secret, by })}\n`);
    return (await lines.next(firstWordMs)) === "saving" && (await lines.next(savingMs)) === "free";
  } catch {
    // Nobody listens there any more, or what listens does not speak.
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Reads lines from an untrusted socket.
 *
 * @param longest what may wait here unread, in characters; a socket on which more comes is closed. Time counts from
 *   each question on: a letter now and then does not make it longer.
 */
function boundedLines(socket: Socket, longest: number) {
  const decoder = new StringDecoder("utf8");
  let unread = "";
  let changed = (): void => undefined;
  socket.on("data", (data: Buffer) => {
    unread += decoder.write(data);
    if (unread.length > longest) {
      unread = "";
      socket.destroy();
    }
    changed();
  });
  for (const event of ["end", "close", "error"] as const) socket.on(event, () => changed());

  return {
    /** The next line, without its end; null on a time-out, at the end, or if it is too long. */
    next: (ms: number): Promise<string | null> =>
      new Promise((resolve) => {
        const done = (line: string | null): void => {
          clearTimeout(late);
          changed = () => undefined;
          resolve(line);
        };
        const late = setTimeout(() => done(null), ms);
        changed = () => {
          const end = unread.indexOf("\n");
          if (end >= 0) {
            const line = unread.slice(0, end);
            unread = unread.slice(end + 1);
            done(line);
          } else if (socket.destroyed || socket.readableEnded) done(null);
        };
        changed();
      }),
  };
}

/** Rejected clients, and clients whose takeover could not be saved, get no answer. */
async function answer(
  socket: Socket,
  {
    secret,
    release,
    patienceMs,
  }: {
    readonly secret: string;
    readonly release: (by: string) => Promise<void>;
    readonly patienceMs: number;
  },
): Promise<void> {
  const asked = parse((await boundedLines(socket, maxLineLength).next(patienceMs)) ?? "");
  if (!asked || !same(asked.secret, secret)) {
    socket.destroy();
    return;
  }
  socket.write("saving\n");
  await release(asked.by);
  socket.end("free\n");
}

function parse(line: string): { readonly secret: string; readonly by: string } | null {
  try {
    const { secret, by } = JSON.parse(line) as { secret?: unknown; by?: unknown };
    return typeof secret === "string" && typeof by === "string" ? { secret, by: startOf(by, 200) } : null;
  } catch {
    return null;
  }
}

const same = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
