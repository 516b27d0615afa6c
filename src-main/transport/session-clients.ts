import { createHash } from "node:crypto";
import { RequestQueue } from "./request-queue.ts";

/** Windows that one person has open, with room for those that come back before the old socket is found dead. */
const maxSockets = 24;

interface Client {
  readonly queue: RequestQueue;
  sockets: number;
}

/** All windows of one session are one client: opening more of them, or the same again, gives no more of the host. */
export class SessionClients {
  /** By the hash of the session, which is nowhere kept as it is. */
  readonly #clients = new Map<string, Client>();

  /** The requests of a session for one more socket, or null when it has too many; `leave` gives its place back. */
  enter(session: string): { readonly queue: RequestQueue; readonly leave: () => void } | null {
    // One that left may still have something under way, and would otherwise begin anew with each socket.
    for (const [key, { sockets, queue }] of this.#clients)
      if (sockets === 0 && queue.isIdle) this.#clients.delete(key);
    const key = createHash("sha256").update(session).digest("base64");
    const client = this.#clients.get(key) ?? { queue: new RequestQueue(), sockets: 0 };
    if (client.sockets >= maxSockets) return null;
    client.sockets++;
    this.#clients.set(key, client);
    return {
      queue: client.queue,
      leave: () => {
        client.sockets--;
      },
    };
  }
}
