/**
 * A host of a pool, in a process of its own, to be stopped and killed: `node child-host.ts <options as JSON>`. It reads one
 * request in each line and answers in one. Its machines are told, not connected: who gets which place is what is tested.
 */
import { createInterface } from "node:readline";
import type { LeaseTimes } from "#shared/domain/places/lease.ts";
import { machineProtocol } from "../machine-contract.ts";
import { openPool } from "../pool/pool-database.ts";
import { PoolUnreachable } from "../pool-unreachable.ts";

export interface ChildOptions {
  readonly address: string;
  readonly host: string;
  readonly times: LeaseTimes;
  readonly maxWaitMs: number;
  /** Of its machines, and what it asks for. */
  readonly label: string;
  /** Kills itself there, or the processes of the group, once. */
  readonly diesAt: string | null;
  readonly victims: number | null;
}

const { diesAt, victims, label, ...options } = JSON.parse(process.argv[2] ?? "") as ChildOptions;
let isDone = false;
const pool = openPool({
  ...options,
  hostName: options.host,
  warn: (text) => console.error(text),
  reached(step) {
    if (step !== diesAt || isDone) return;
    isDone = true;
    process.kill(victims === null ? process.pid : -victims, "SIGKILL");
  },
});
const { places, machines } = pool;
const machineIds = new Set<string>();

const about = (capacity: number) => ({
  ...{ labels: [label], capacity, protocol: machineProtocol },
  isolation: { kind: "bubblewrap", summary: "" },
});
const calls: Readonly<Record<string, (...given: never[]) => unknown>> = {
  join: () => pool.pool?.join(),
  /** The machine is connected to this host from now on. */
  async hear(id: string, capacity: number) {
    machineIds.add(id);
    const beat = async () => {
      await machines.heard(id, about(capacity));
      const held = (await places.held()).filter(({ machine }) => machine === id);
      await places.renew(
        id,
        held.map((one) => one.id),
      );
    };
    await beat();
    setInterval(() => void beat().catch(() => undefined), options.times.heartbeatMs);
  },
  /** As a host does: again, where the database was gone. */
  async claim(worker: string, priority: number) {
    for (;;) {
      try {
        return await places.claim(
          { repository: "/r", run: "run", worker },
          {
            ...{ label, agent: null, priority, except: new Set() },
            contact: (id) => (machineIds.has(id) ? "connected" : "gone"),
          },
        );
      } catch (error) {
        if (!(error instanceof PoolUnreachable)) throw error;
      }
    }
  },
  release: (worker: string) => places.release({ repository: "/r", run: "run", worker }),
  of: (worker: string) => places.of({ repository: "/r", run: "run", worker }),
  held: () => places.held(),
  accept: (id: string, machine: string, epoch: number, tree: string) =>
    places.acceptTree(id, { machine, epoch }, tree),
  close: () => pool.close(),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, call, given } = JSON.parse(line) as { id: number; call: string; given: never[] };
  void (async () => calls[call]?.(...given))().then(
    (answer) => console.log(JSON.stringify({ id, answer: answer ?? null })),
    (error: Error) => console.log(JSON.stringify({ id, error: error.message })),
  );
}
// Whoever has started it is gone.
process.exit();
