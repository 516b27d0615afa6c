/** The workers of a host: nothing is opened, and nothing listens, before a machine was invited. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { createSerial } from "#shared/async/serial.ts";
import { type FleetView, type InvitationView, isSameFleet } from "#shared/domain/places/machine-view.ts";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { tryLock } from "../config/file-lock.ts";
import { log } from "../log/log.ts";
import { inviteMachine, machineViews } from "../places/fleet.ts";
import { type ConnectedMachines, createConnectedMachines } from "../places/host/connected-machines.ts";
import { mayHavePlaces, openHostPlaces } from "../places/open-places.ts";
import {
  defaultWorkerPort,
  type MachineRow,
  type Machines,
  type PlacesDatabase,
} from "../places/places-interface.ts";
import { Refusal } from "./refusal.ts";

/** What machines send to a server of this host. Each says whether it was for them, and is answered then. */
export interface MachineRequests {
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
}

interface WorkerDoor {
  readonly requests: MachineRequests;
  close(): Promise<void>;
}

/** Listens for workers. Rejects with EADDRINUSE where another host of this user does. */
export type OpenWorkerDoor = (
  parts: { readonly connected: ConnectedMachines; readonly machines: Machines },
  port: number,
) => Promise<WorkerDoor>;

export interface HostWorkers {
  /** Empty while nobody was invited. */
  readonly connected: ConnectedMachines;
  /** Takes machines at another server, too. */
  readonly requests: MachineRequests;
  view(): FleetView;
  /** @param address where machines reach this host without a tunnel */
  invite(address: string | null): Promise<InvitationView>;
  /** Rejects with a Refusal where it was removed. */
  setState(id: string, state: MachineRow["state"]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Another process may invite, drain or remove a machine, and another host that listens may end. */
const lookMs = 1_000;

const warnEveryMs = 10_000;

interface Opened {
  readonly connected: ConnectedMachines;
  readonly door: WorkerDoor;
  /** Lets another process have the workers of the state folder. */
  release(): void;
}

/** @param changed the view is another one now */
export function createHostWorkers(
  stateFolder: string,
  openDoor: OpenWorkerDoor,
  changed: () => void,
): HostWorkers {
  let database: Promise<PlacesDatabase> | null = null;
  let opened: Opened | null = null;
  let isRefused = false;
  let view: FleetView = { machines: [], isServedElsewhere: false, pool: null };

  let warnedAt = Number.NEGATIVE_INFINITY;
  /** While a database is gone, its queue says so many times a second. */
  const warn = (text: string): void => {
    if (performance.now() - warnedAt < warnEveryMs) return;
    warnedAt = performance.now();
    log.warn("pool of workers", { text });
  };
  const open = (): Promise<PlacesDatabase> => {
    database ??= openHostPlaces(stateFolder, warn).catch((error: unknown) => {
      database = null;
      throw error;
    });
    return database;
  };
  /** The workers are another process's; this one has them once it ends. */
  const leaveThem = (error: unknown): void => {
    if (!isRefused) log.warn("workers not reachable", { port: defaultWorkerPort, error });
    isRefused = true;
  };
  const listen = async ({ machines, places }: PlacesDatabase): Promise<void> => {
    // Whatever their ports are: to a pool, processes with one state folder are one host.
    const release = tryLock(join(stateFolder, "workers.lock"));
    if (release === null) {
      leaveThem(new Error("Another Hox process has the workers of this state folder."));
      return;
    }
    const connected = createConnectedMachines({ machines, places });
    try {
      opened = { connected, door: await openDoor({ connected, machines }, defaultWorkerPort), release };
      isRefused = false;
    } catch (error) {
      release();
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      leaveThem(error);
    }
  };
  const read = async (): Promise<FleetView> => {
    let name = "HOX_POOL";
    try {
      const places = await open();
      name = places.pool?.name ?? name;
      if (opened === null && (await places.machines.areExpected())) await listen(places);
      if (opened !== null) await places.pool?.join();
      const machines = await machineViews(places, Date.now());
      return { machines, isServedElsewhere: isRefused, pool: places.pool && { name, problem: null } };
    } catch (error) {
      if (!(error instanceof RemediedError)) throw error;
      const { message, remedy } = error;
      return { ...view, pool: { name, problem: { message, remedy } } };
    }
  };
  const looks = createSerial();
  const look = (): Promise<void> =>
    looks.run("look", async () => {
      if (isClosed || !mayHavePlaces(stateFolder)) return;
      try {
        const before = view;
        view = await read();
        if (!isSameFleet(before, view)) changed();
      } catch (error) {
        // What the window shows until then is as it was.
        log.error("workers not read", { error });
      }
    });
  const known = async (id: string): Promise<Machines> => {
    const { machines } = await open();
    if ((await machines.all()).some((one) => one.id === id)) return machines;
    throw new Refusal("This worker was removed.", "Invite the machine again to use it.");
  };
  let isClosed = false;
  let first: Promise<void> | null = look();
  void first.finally(() => {
    first = null;
  });
  let isLooking = false;
  const looking = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, lookMs);
  looking.unref();

  return {
    connected: {
      attach: async (socket) => socket.terminate(),
      take: async (request) => {
        await first;
        return opened?.connected.take(request) ?? null;
      },
      release: async (owner) => opened?.connected.release(owner),
      has: (wanted) => opened?.connected.has(wanted) ?? false,
      releaseLeft: async (run) => opened?.connected.releaseLeft(run),
      distrust: async (machine) => opened?.connected.distrust(machine),
      close: () => undefined,
    },
    requests: {
      answer: (...request) => opened?.door.requests.answer(...request) ?? false,
      upgrade: (...request) => opened?.door.requests.upgrade(...request) ?? false,
    },
    view: () => view,
    async invite(address) {
      const invitation = await inviteMachine(await open(), address, Date.now());
      await look();
      return invitation;
    },
    async setState(id, state) {
      await (await known(id)).setState(id, state);
      await look();
    },
    async remove(ids) {
      const { machines } = await open();
      for (const id of ids) await machines.remove(id);
      await look();
    },
    async close() {
      clearInterval(looking);
      isClosed = true;
      await looks.run("look", async () => {
        await opened?.door.close();
        await (await database?.catch(() => null))?.close();
        opened?.release();
        opened = null;
      });
    },
  };
}
