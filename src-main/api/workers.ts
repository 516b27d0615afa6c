/** The workers of a host: nothing is opened, and nothing listens, before a machine was invited. */
import { type FleetView, type InvitationView, isSameFleet } from "#shared/domain/places/machine-view.ts";
import { log } from "../log/log.ts";
import { inviteMachine, machineViews } from "../places/fleet.ts";
import { createMachinePool, type MachinePool } from "../places/host/machine-pool.ts";
import { hasPlaces, openPlaces, type PlacesDatabase, placesFile } from "../places/places-database.ts";
import { defaultWorkerPort, type MachineRow, type Machines } from "../places/places-interface.ts";
import { Refusal } from "./refusal.ts";

/** Listens for workers. Rejects with EADDRINUSE where another host of this user does. */
export type OpenWorkerDoor = (
  parts: { readonly pool: MachinePool; readonly machines: Machines },
  port: number,
) => Promise<{ close(): Promise<void> }>;

export interface HostWorkers {
  /** Empty while nobody was invited. */
  readonly pool: MachinePool;
  view(): FleetView;
  invite(): InvitationView;
  /** @throws Refusal where it was removed */
  setState(id: string, state: MachineRow["state"]): void;
  remove(ids: readonly string[]): void;
  close(): Promise<void>;
}

/** Another process may invite, drain or remove a machine, and another host that listens may end. */
const lookMs = 1_000;

interface Opened {
  readonly pool: MachinePool;
  readonly door: { close(): Promise<void> };
}

/** @param changed the view is another one now */
export function createHostWorkers(
  stateFolder: string,
  openDoor: OpenWorkerDoor,
  changed: () => void,
): HostWorkers {
  const now = (): number => Date.now();
  let database: PlacesDatabase | null = null;
  let opened: Opened | null = null;
  let opening: Promise<void> | null = null;
  let isRefused = false;
  let view: FleetView = { machines: [], isServedElsewhere: false };

  const open = (): PlacesDatabase => {
    database ??= openPlaces(placesFile(stateFolder), now);
    return database;
  };
  const listen = async ({ machines, places }: PlacesDatabase): Promise<void> => {
    const pool = createMachinePool({ machines, places });
    try {
      opened = { pool, door: await openDoor({ pool, machines }, defaultWorkerPort) };
      isRefused = false;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      // The workers are that one's; this one has them once it ends.
      if (!isRefused) log.warn("workers not reachable", { port: defaultWorkerPort, error });
      isRefused = true;
    }
  };
  const readView = (): FleetView => ({
    machines: database === null ? [] : machineViews(database, now()),
    isServedElsewhere: isRefused,
  });
  /** What the window shows until then is as it was. */
  const failed = (error: unknown): void => log.error("workers not read", { error });
  const look = (): void => {
    if (!hasPlaces(stateFolder)) return;
    try {
      const places = open();
      if (opened === null && opening === null && places.machines.areExpected())
        opening = listen(places)
          .catch((error: unknown) => log.error("workers not opened", { error }))
          .finally(() => {
            opening = null;
          });
      const before = view;
      view = readView();
      if (!isSameFleet(before, view)) changed();
    } catch (error) {
      failed(error);
    }
  };
  const known = (id: string): void => {
    if (
      !open()
        .machines.all()
        .some((one) => one.id === id)
    )
      throw new Refusal("This worker was removed.", "Invite the machine again to use it.");
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
    view: () => view,
    invite() {
      const invitation = inviteMachine(open(), now());
      look();
      return invitation;
    },
    setState(id, state) {
      known(id);
      open().machines.setState(id, state);
      look();
    },
    remove(ids) {
      for (const id of ids) open().machines.remove(id);
      look();
    },
    async close() {
      clearInterval(looking);
      await opening;
      await opened?.door.close();
      database?.close();
      opened = null;
    },
  };
}
