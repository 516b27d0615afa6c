/** Machines that offer places, as processes, for tests and benches. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type LeaseTimes, leaseTimes } from "#shared/domain/places/lease.ts";
import { createConnectedMachines } from "../../places/host/connected-machines.ts";
import { type LocalDatabase, openPlaces, placesFile } from "../../places/places-database.ts";
import type { PlacesDatabase } from "../../places/places-interface.ts";
import { openWorkerDoor } from "../../transport/worker-door.ts";
import type { LossyNetwork } from "./lossy-network.ts";

/** Everything happens ten times as fast as it does for users. */
export const quickTimes: LeaseTimes = { heartbeatMs: 500, suspectMs: 1_500, goneMs: 4_500, marginMs: 1_000 };

interface StartOptions {
  readonly network?: Pick<LossyNetwork, "within" | "publish">;
  readonly environment?: Readonly<Record<string, string>>;
  readonly keepsPlaces?: boolean;
}

export const openWorkerMachines = (times: LeaseTimes = leaseTimes) =>
  openMachinesOf<LocalDatabase>(times, (folder) => openPlaces(placesFile(folder), () => Date.now(), times));

/** @param open where who has which place is kept */
export async function openMachinesOf<Database extends PlacesDatabase>(
  times: LeaseTimes,
  open: (folder: string) => Database,
) {
  const folder = await mkdtemp(join(tmpdir(), "hox-workers-"));
  const database = open(folder);
  const machines: Database["machines"] = database.machines;
  const places: Database["places"] = database.places;
  const connected = createConnectedMachines({ places, machines, times });
  const door = await openWorkerDoor({ connected, machines }, 0);
  const children: ChildProcess[] = [];
  const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (const begun = Date.now(); !(await holds()); await pause(20))
      if (Date.now() - begun > 60_000) throw new Error(`It did not come to this: ${what}.`);
  };
  return {
    ...{ folder, places, machines, connected, until },
    port: door.port,
    requests: door.requests,
    address: `ws://127.0.0.1:${door.port}`,
    /**
     * Starts a process and waits until it is connected.
     * @param kept with which it was enrolled before: it finds its folder as it left it
     * @param options.network through which it reaches the host. Default: loopback
     * @param options.environment of its process, in addition to this one's
     * @param options.keepsPlaces it removes none that the host has given to others
     */
    async start(
      name: string,
      kept: { readonly id: string; readonly key: string } | null = null,
      { network, environment, keepsPlaces = false }: StartOptions = {},
    ) {
      const begun = Date.now();
      const enrolled = kept ?? (await machines.enrol(await machines.invite(), name));
      if (enrolled === null) throw new Error("The invitation was not taken.");
      const { id, key } = enrolled;
      const program = fileURLToPath(new URL("child-machine.ts", import.meta.url));
      const address = (await network?.publish(door.port)) ?? `127.0.0.1:${door.port}`;
      const [command = process.execPath, ...args] = [
        ...(network?.within ?? []),
        ...[process.execPath, program, `ws://${address}`, id, key, join(folder, name), name],
        JSON.stringify({ times, capacity: 3, keepsPlaces }),
      ];
      const child = spawn(command, args, {
        stdio: ["pipe", "pipe", "ignore"],
        env: { ...process.env, ...environment },
      });
      children.push(child);
      const lines: string[] = [];
      child.stdout.on("data", (bytes: Buffer) => lines.push(bytes.toString("utf8")));
      await until(`${name} is connected`, async () =>
        (await machines.all()).some((one) => one.id === id && (one.heardAt ?? 0) >= begun),
      );
      return { id, key, child, folder: join(folder, name), printed: () => lines.join("") };
    },
    async close(): Promise<void> {
      for (const child of children) child.kill("SIGKILL");
      await door.close();
      await database.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
