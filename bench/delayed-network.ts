import { connect, createServer, type Socket } from "node:net";

/** A way to this machine's loopback on which everything arrives later. */
export function delayedNetwork(roundTripMs: number) {
  const servers: ReturnType<typeof createServer>[] = [];
  const forward = (from: Socket, to: Socket): void => {
    from.on("data", (bytes: Buffer) => void setTimeout(() => to.write(bytes), roundTripMs / 2));
    from.on("error", () => to.destroy());
    from.on("close", () => void setTimeout(() => to.destroy(), roundTripMs / 2));
  };
  return {
    within: [],
    publish: (port: number): Promise<string> =>
      new Promise((resolve, reject) => {
        const server = createServer((incoming) => {
          const outgoing = connect(port, "127.0.0.1");
          for (const socket of [incoming, outgoing]) socket.setNoDelay(true);
          forward(incoming, outgoing);
          forward(outgoing, incoming);
        });
        servers.push(server);
        server.once("error", reject);
        server.listen(0, "127.0.0.1", () => {
          const at = server.address();
          resolve(`127.0.0.1:${typeof at === "object" ? at?.port : at}`);
        });
      }),
    close(): void {
      for (const server of servers) server.close();
    },
  };
}
