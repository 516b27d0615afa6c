/** The workers of a host: nothing is opened, and nothing listens, before a machine was invited. */
import { log } from "../log/log.ts";
import { createMachinePool, type MachinePool } from "../places/host/machine-pool.ts";
import { hasPlaces, openPlaces, type PlacesDatabase, placesFile } from "../places/places-database.ts";
import { defaultWorkerPort, type Machines } from "../places/places-interface.ts";

/** Listens for workers. Rejects with EADDRINUSE where another host of this user does. */
export type OpenWorkerDoor = (
  parts: { readonly pool: MachinePool; readonly machines: Machines },
  port: number,
) => Promise<{ close(): Promise<void> }>;

export interface HostWorkers {
  /** Empty while nobody was invited. */
  readonly pool: MachinePool;
  close(): Promise<void>;
}

/** Another process may invite a machine, and another host that listens may end. */
const lookMs = 2_000;

interface Opened {
  readonly database: PlacesDatabase;
  readonly pool: MachinePool;
  readonly door: { close(): Promise<void> };
}

export function createHostWorkers(stateFolder: string, openDoor: OpenWorkerDoor): HostWorkers {
  let opened: Opened | null = null;
  let opening: Promise<void> | null = null;
  let isRefused = false;

  const open = async (): Promise<void> => {
    const database = openPlaces(placesFile(stateFolder), () => Date.now());
    try {
      if (!database.machines.areExpected()) return database.close();
      const pool = createMachinePool(database);
      const door = await openDoor({ pool, machines: database.machines }, defaultWorkerPort);
      opened = { database, pool, door };
      isRefused = false;
    } catch (error) {
      database.close();
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      // The workers are that one's; this one has them once it ends.
      if (!isRefused) log.warn("workers not reachable", { port: defaultWorkerPort, error });
      isRefused = true;
    }
  };
  const look = (): void => {
    if (opened !== null || opening !== null || !hasPlaces(stateFolder)) return;
    opening = open()
      .catch((error: unknown) => log.error("workers not opened", { error }))
      .finally(() => {
        opening = null;
      });
  };
  look();
  const looking = setInterval(look, lookMs);
  looking.unref();

  return {
    pool: {
      attach: async (socket) => socket.terminate(),
      take: async (request) => {
        await opening;
        return opened?.pool.take(request) ?? null;
      },
      release: (owner) => opened?.pool.release(owner),
      distrust: (machine) => opened?.pool.distrust(machine),
      close: () => undefined,
    },
    async close() {
      clearInterval(looking);
      await opening;
      await opened?.door.close();
      opened?.database.close();
      opened = null;
    },
  };
}
