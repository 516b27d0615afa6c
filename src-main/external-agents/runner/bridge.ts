import { connect, createServer, type Socket } from "node:net";

/** The addresses on the loopback that lead out of the sandbox. */
export interface Bridges {
  readonly gateway: string;
  readonly tools: string;
  readonly network: string | null;
}

/**
 * Hands what connects to a port of the loopback to a Unix socket, byte for byte: inside the sandbox there is no other way
 * out.
 *
 * @returns its address
 */
export function openBridge(socket: string): Promise<string> {
  const server = createServer({ allowHalfOpen: true }, (inside) => {
    const outside = connect({ path: socket, allowHalfOpen: true });
    join(inside, outside);
    join(outside, inside);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    });
  });
}

function join(from: Socket, to: Socket): void {
  from.pipe(to);
  // An error is followed by a close, and a side that closed lets the other say what it still has.
  from.on("error", () => from.destroy());
  from.on("close", () => to.destroySoon());
}
