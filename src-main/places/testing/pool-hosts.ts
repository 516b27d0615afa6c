/** Hosts that share a pool, each in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { LeaseTimes } from "#shared/domain/places/lease.ts";
import type { PlaceRow } from "../places-interface.ts";
import type { ChildOptions } from "./child-host.ts";

/** Takeover happens many times as fast as it does for users. */
export const quickLeases: LeaseTimes = { heartbeatMs: 250, suspectMs: 3_000, goneMs: 6_000, marginMs: 500 };
/** So slow that no host of a test is taken for one that is gone. */
const patientLeases: LeaseTimes = { heartbeatMs: 250, suspectMs: 120_000, goneMs: 240_000, marginMs: 500 };

export type PoolHost = ReturnType<typeof startHost>;

export function startHost(
  address: string,
  host: string,
  {
    diesAt = null,
    times = patientLeases,
    maxWaitMs = 60_000,
    label = "test",
    victims = null,
  }: Partial<ChildOptions> = {},
) {
  const options: ChildOptions = { address, host, times, maxWaitMs, label, diesAt, victims };
  const program = fileURLToPath(new URL("child-host.ts", import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", process.env.HOX_SHOW_HOSTS ? "inherit" : "ignore"],
  });
  const waiting = new Map<number, (answer: { answer?: unknown; error?: string }) => void>();
  let calls = 0;
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    const answer = JSON.parse(line) as { id: number; answer?: unknown; error?: string };
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  const died = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  void died.then(() => {
    for (const answer of waiting.values()) answer({ error: "the host has died" });
  });
  const ask = <T>(call: string, ...given: unknown[]): Promise<T> =>
    new Promise((resolve, reject) => {
      calls += 1;
      waiting.set(calls, ({ answer, error }) =>
        error === undefined ? resolve(answer as T) : reject(new Error(error)),
      );
      child.stdin?.write(`${JSON.stringify({ id: calls, call, given })}\n`, () => undefined);
    });
  child.stdin?.on("error", () => undefined);
  return {
    died,
    join: () => ask<null>("join"),
    hear: (machine: string, capacity: number) => ask<null>("hear", machine, capacity),
    claim: (worker: string, priority = 2) => ask<PlaceRow | null>("claim", worker, priority),
    release: (worker: string) => ask<null>("release", worker),
    of: (worker: string) => ask<PlaceRow | null>("of", worker),
    held: () => ask<readonly PlaceRow[]>("held"),
    accept: ({ id, machine, epoch }: PlaceRow, tree: string) =>
      ask<string | null>("accept", id, machine, epoch, tree),
    close: () => ask<null>("close"),
    signal: (name: NodeJS.Signals) => child.kill(name),
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await died;
    },
  };
}
