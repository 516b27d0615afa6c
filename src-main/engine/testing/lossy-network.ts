/** A network between this machine and one process, whose packets can be lost one way. For tests, as root of Linux. */
import { execFile } from "node:child_process";
import { connect, createServer } from "node:net";
import { promisify } from "node:util";

const execute = promisify(execFile);

export interface LossyNetwork {
  /** Puts a program into the network. */
  readonly within: readonly string[];
  /** Makes a port of this machine's loopback reachable from there. @returns its address there */
  publish(port: number): Promise<string>;
  /** From now on nothing arrives that is sent to this side, while the other direction works. */
  lose(to: "host" | "worker"): Promise<void>;
  /** Everything arrives again. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

/** No interface has it: what is sent there is dropped by its receiver. */
const nowhere = "02:00:00:00:00:01";

const ip = (...args: readonly string[]) => execute("ip", args);

/** @throws where this user or machine cannot have one, with the reason of `ip` */
export async function openLossyNetwork(): Promise<LossyNetwork> {
  const id = process.pid % 16_000;
  const name = `hox-${process.pid}`;
  const devices = { host: `hxh${process.pid}`, worker: `hxw${process.pid}` };
  const part = `10.213.${Math.floor((id * 4) / 256)}`;
  const addresses = { host: `${part}.${((id * 4) % 256) + 1}`, worker: `${part}.${((id * 4) % 256) + 2}` };
  const inside = ["-n", name] as const;
  const close = async (): Promise<void> => {
    await ip("link", "del", devices.host).catch(() => undefined);
    await ip("netns", "del", name).catch(() => undefined);
  };
  const servers: ReturnType<typeof createServer>[] = [];
  try {
    await ip("netns", "add", name);
    await ip("link", "add", devices.host, "type", "veth", "peer", "name", devices.worker, "netns", name);
    await ip("addr", "add", `${addresses.host}/30`, "dev", devices.host);
    await ip("link", "set", devices.host, "up");
    await ip(...inside, "addr", "add", `${addresses.worker}/30`, "dev", devices.worker);
    await ip(...inside, "link", "set", devices.worker, "up");
    await ip(...inside, "link", "set", "lo", "up");
  } catch (error) {
    await close();
    throw error;
  }
  const wayTo = (side: "host" | "worker") => ({
    namespace: side === "host" ? inside : [],
    way: [addresses[side], "dev", side === "host" ? devices.worker : devices.host],
  });
  return {
    within: ["ip", "netns", "exec", name],
    publish: (port) =>
      new Promise((resolve, reject) => {
        const server = createServer((incoming) => {
          const outgoing = connect(port, "127.0.0.1");
          const end = (): void => {
            incoming.destroy();
            outgoing.destroy();
          };
          for (const socket of [incoming, outgoing]) socket.on("error", end).on("close", end);
          incoming.pipe(outgoing).pipe(incoming);
        });
        servers.push(server);
        server.once("error", reject);
        server.listen(0, addresses.host, () => {
          const at = server.address();
          resolve(`${addresses.host}:${typeof at === "object" ? at?.port : at}`);
        });
      }),
    async lose(to) {
      const { namespace, way } = wayTo(to);
      await ip(...namespace, "neigh", "replace", ...way, "lladdr", nowhere, "nud", "permanent");
    },
    async heal() {
      for (const { namespace, way } of [wayTo("host"), wayTo("worker")])
        await ip(...namespace, "neigh", "del", ...way).catch(() => undefined);
    },
    async close() {
      for (const server of servers) server.close();
      await close();
    },
  };
}
