/** The machines that are connected to this host, and the places that they hold. */
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { WebSocket } from "ws";
import { type LeaseTimes, leaseTimes } from "#shared/domain/places/lease.ts";
import { isFor, type MeantMachines } from "../machine-for.ts";
import type { MachineRow, Machines, PlaceOwner, PlaceRow, Places } from "../places-interface.ts";
import { PoolUnreachable } from "../pool-unreachable.ts";
import { linkMachine, MachineGone, type MachineLink } from "./machine-link.ts";
import { openRemotePlace, type RemoteParts, type RemotePlace } from "./remote-place.ts";

type PlaceRequest = PlaceOwner &
  Pick<RemoteParts, "local" | "tree" | "root" | "exclude" | "hosts" | "protectedFiles"> & {
    readonly label: string;
    /** An agent of another make that works there; null: none. */
    readonly agent: string | null;
    /** 0 is served first. */
    readonly priority: number;
    /** A machine could not make the place; another one is tried, or the host has it. */
    readonly failed: (machine: string, error: unknown) => void;
    /** The pool does not answer; the host has the place. */
    readonly unreachable: (error: PoolUnreachable) => void;
  };

export interface ConnectedMachines {
  /** A machine has connected and shown its key. */
  attach(socket: WebSocket, machine: MachineRow): Promise<void>;
  /**
   * A place on a machine with a label. One that an earlier life of this host had granted is continued where its machine is
   * still there. Null: no machine offers one, and the host has the place itself.
   */
  take(request: PlaceRequest): Promise<RemotePlace | null>;
  /** The host has the place from now on; the machine removes it. */
  release(owner: PlaceOwner): Promise<void>;
  /** Whether a machine that is connected is one of those that are meant, with room or without. */
  has(wanted: MeantMachines): boolean;
  /** Frees what an earlier life of this host had for a run that is over. */
  releaseLeft(of: Pick<PlaceOwner, "repository" | "run">): Promise<void>;
  /** It takes nothing new until its user says so: it sent what no sound machine sends. @param machine its id */
  distrust(machine: string): Promise<void>;
  close(): void;
}

export interface ConnectedMachinesParts {
  readonly places: Places;
  readonly machines: Machines;
  readonly monotonic?: () => number;
  readonly times?: LeaseTimes;
}

const returnLookMs = 100;

export function createConnectedMachines({
  places,
  machines,
  monotonic = () => performance.now(),
  times = leaseTimes,
}: ConnectedMachinesParts): ConnectedMachines {
  const links = new Map<string, MachineLink>();
  const wanted = new Set<string>();
  const openedAt = monotonic();
  const isReturning = async (isMeant: (machine: MachineRow) => boolean | undefined): Promise<boolean> =>
    monotonic() - openedAt < times.suspectMs &&
    (await machines.all()).some((one) => !links.has(one.id) && isMeant(one));
  const release = async (owner: PlaceOwner): Promise<void> => {
    try {
      const row = await places.of(owner);
      if (row === null || row.machine === null) return;
      wanted.delete(row.id);
      await places.release(owner);
    } catch (error) {
      // It is not wanted here any more, so its lease ends.
      if (!(error instanceof PoolUnreachable)) throw error;
    }
  };
  const takeReachable = async ({
    label,
    agent,
    priority,
    failed,
    unreachable: _,
    ...request
  }: PlaceRequest) => {
    const { repository: folder, run, worker, ...given } = request;
    const owner = { repository: folder, run, worker };
    const repository = createHash("sha256").update(owner.repository).digest("hex").slice(0, 32);
    const parts = { ...given, places, repository };
    const tried = new Set<string>();
    const open = async (link: MachineLink, row: PlaceRow): Promise<RemotePlace | null> => {
      wanted.add(row.id);
      // Lives of a host that end before their next heartbeat would use it up.
      await places.renew(link.id, [row.id]);
      try {
        return await openRemotePlace({ ...parts, link, row });
      } catch (error) {
        await release(owner);
        tried.add(link.id);
        if (!(error instanceof MachineGone)) failed(link.name, error);
        return null;
      }
    };
    const granted = await places.of(owner);
    // Of an earlier life of this host, whose lease has not ended.
    if (granted !== null && (await places.held()).some(({ id }) => id === granted.id)) {
      const holder = () => links.get(granted.machine ?? "");
      // After a start of the host, workers need a moment to find it again.
      while (!holder() && (await isReturning(({ id }) => id === granted.machine))) await pause(returnLookMs);
      const link = holder();
      const continued = link ? await open(link, granted) : null;
      if (continued !== null) return continued;
    }
    const contact = (machine: string) => links.get(machine)?.contact() ?? "gone";
    for (;;) {
      const row = await places.claim(owner, { label, agent, priority, except: tried, contact });
      if (row === null) {
        if (!(await isReturning(({ about }) => about !== null && isFor(about, { label, agent })))) break;
        await pause(returnLookMs);
        continue;
      }
      const link = links.get(row.machine ?? "");
      const place = link ? await open(link, row) : null;
      if (place !== null) return place;
      tried.add(row.machine ?? "");
    }
    await release(owner);
    return null;
  };
  return {
    async attach(socket, machine) {
      // One connection each: the newer one counts, the older may be half open.
      links.get(machine.id)?.close("Connected again.");
      const link = await linkMachine(socket, machine, { places, machines, wanted, monotonic, times });
      links.set(machine.id, link);
      void link.closed.then(() => {
        if (links.get(machine.id) === link) links.delete(machine.id);
      });
    },
    async take(request) {
      for (const begun = monotonic(); ; await pause(returnLookMs)) {
        try {
          return await takeReachable(request);
        } catch (error) {
          if (!(error instanceof PoolUnreachable)) throw error;
          if (monotonic() - begun < times.suspectMs) continue;
          request.unreachable(error);
          return null;
        }
      }
    },
    release,
    has: (meant) => [...links.values()].some(({ about }) => isFor(about, meant)),
    async releaseLeft({ repository, run }) {
      try {
        for (const row of await places.held())
          if (row.repository === repository && row.run === run && !wanted.has(row.id)) await release(row);
      } catch (error) {
        // Their leases end, because nobody renews them.
        if (!(error instanceof PoolUnreachable)) throw error;
      }
    },
    // Also one that has disconnected since.
    distrust: async (machine) => machines.setState(machine, "draining"),
    close() {
      for (const link of links.values()) link.close("Hox is shutting down.");
    },
  };
}
