/** Connections between the sandbox of an agent on this machine and the sockets that its host has for it. */
import { createServer, type Server, type Socket } from "node:net";
import { listenPrivately } from "../../config/listen-privately.ts";
import { connectTo } from "../../external-agents/runner-link.ts";

/** An agent could take all descriptors of the machine otherwise. */
const maxConnections = 64;

interface Accepted {
  readonly connection: number;
  readonly socket: "gateway" | "tools";
}

export type Tunnels = Awaited<ReturnType<typeof openTunnels>>;

/** @param paths where it listens for the agent, and where its runner does */
export async function openTunnels(paths: Readonly<Record<Accepted["socket"] | "runner", string>>) {
  const open = new Map<number, { readonly socket: Socket; readonly chunks: AsyncIterator<Buffer> }>();
  const waiting: Accepted[] = [];
  let tell: ((next: Accepted | null) => void) | null = null;
  let count = 0;
  let isClosed = false;

  const add = (socket: Socket): number => {
    count += 1;
    // A socket that broke has ended, for whoever reads it.
    socket.on("error", () => undefined);
    open.set(count, { socket, chunks: socket.iterator({ destroyOnReturn: false }) });
    return count;
  };
  const answer = (next: Accepted | null): void => {
    const told = tell;
    tell = null;
    if (told !== null) told(next);
    else if (next !== null) waiting.push(next);
  };
  const hangUp = (connection: number): void => {
    open.get(connection)?.socket.destroy();
    open.delete(connection);
  };
  /** Another host, or the same one after a restart, continues. */
  const cut = (): void => {
    waiting.splice(0);
    for (const connection of [...open.keys()]) hangUp(connection);
  };
  const servers = await Promise.all(
    (["gateway", "tools"] as const).map((socket) =>
      listen(paths[socket], (made) => answer({ connection: add(made), socket })),
    ),
  );
  return {
    /** The next connection of the agent; null: another host asks, or this is over. */
    accept(): Promise<Accepted | null> {
      answer(null);
      const next = waiting.shift();
      if (next !== undefined || isClosed) return Promise.resolve(next ?? null);
      return new Promise((resolve) => {
        tell = resolve;
      });
    },
    connect: (): number => add(connectTo(paths.runner)),
    async read(connection: number): Promise<Buffer | null> {
      const next = await open
        .get(connection)
        ?.chunks.next()
        .catch(() => null);
      return next == null || next.done ? null : next.value;
    },
    /** @returns whether it can be written to */
    write(connection: number, data: Buffer | null): Promise<boolean> {
      const socket = open.get(connection)?.socket;
      if (socket === undefined || socket.destroyed) return Promise.resolve(false);
      return new Promise((resolve) => {
        if (data === null) socket.end(() => resolve(true));
        else socket.write(data, (error) => resolve(!error));
      });
    },
    hangUp,
    cut,
    close(): void {
      isClosed = true;
      cut();
      answer(null);
      for (const server of servers) server.close();
    },
  };
}

async function listen(path: string, take: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, take);
  server.maxConnections = maxConnections;
  await listenPrivately(server, path);
  return server;
}
