/** The machines that are connected to this host, and the places that they hold. */
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { WebSocket } from "ws";
import { chooseMachine, type LeaseTimes, leaseTimes } from "#shared/domain/places/lease.ts";
import type { MachineRow, Machines, PlaceOwner, PlaceRow, Places } from "../places-interface.ts";
import { linkMachine, MachineGone, type MachineLink } from "./machine-link.ts";
import { openRemotePlace, type RemoteParts, type RemotePlace } from "./remote-place.ts";

type PlaceRequest = PlaceOwner &
  Pick<RemoteParts, "local" | "tree" | "root" | "exclude" | "hosts" | "protectedFiles"> & {
    readonly label: string;
    /** A machine could not make the place; another one is tried, or the host has it. */
    readonly failed: (machine: string, error: unknown) => void;
  };

export interface MachinePool {
  /** A machine has connected and shown its key. */
  attach(socket: WebSocket, machine: MachineRow): Promise<void>;
  /**
   * A place on a machine with a label. One that an earlier life of this host had granted is continued where its machine is
   * still there. Null: no machine offers one, and the host has the place itself.
   */
  take(request: PlaceRequest): Promise<RemotePlace | null>;
  /** The host has the place from now on; the machine removes it. */
  release(owner: PlaceOwner): void;
  /** It takes nothing new until its user says so: it sent what no sound machine sends. @param machine its id */
  distrust(machine: string): void;
  close(): void;
}

export interface PoolParts {
  readonly places: Places;
  readonly machines: Machines;
  readonly monotonic?: () => number;
  readonly times?: LeaseTimes;
}

const returnLookMs = 100;

export function createMachinePool({
  places,
  machines,
  monotonic = () => performance.now(),
  times = leaseTimes,
}: PoolParts): MachinePool {
  const links = new Map<string, MachineLink>();
  const wanted = new Set<string>();
  const heldBy = (machine: string): number => places.held().filter((one) => one.machine === machine).length;
  const choose = (label: string, except: ReadonlySet<string> = new Set()): MachineLink | null => {
    const usable = [...links.values()].filter(({ id }) => !except.has(id));
    const offers = usable.map((link) => ({
      machine: link.id,
      labels: link.about.labels,
      capacity: link.about.capacity,
      held: heldBy(link.id),
      contact: link.contact(),
      isDraining: link.isDraining(),
      isSandboxed: ["bubblewrap", "seatbelt"].includes(link.about.isolation.kind),
    }));
    return links.get(chooseMachine(offers, label) ?? "") ?? null;
  };
  const openedAt = monotonic();
  const isReturning = (label: string, machine: string | null): boolean =>
    monotonic() - openedAt < times.suspectMs &&
    machines
      .all()
      .some(
        (one) =>
          !links.has(one.id) && (machine === null ? one.about?.labels.includes(label) : one.id === machine),
      );
  const release = (owner: PlaceOwner): void => {
    const row = places.of(owner);
    if (row === null || row.machine === null) return;
    wanted.delete(row.id);
    places.grant(owner, null);
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
    async take({ label, failed, repository: folder, run, worker, ...given }) {
      const owner = { repository: folder, run, worker };
      const repository = createHash("sha256").update(owner.repository).digest("hex").slice(0, 32);
      const granted = places.of(owner);
      // Of an earlier life of this host, whose lease has not ended.
      const before = places.held().some(({ id }) => id === granted?.id) ? granted : null;
      const holderOf = () => (before?.machine == null ? undefined : links.get(before.machine));
      const isServed = () => (before === null ? choose(label) !== null : holderOf() !== undefined);
      // After a start of the host, workers need a moment to find it again.
      while (!isServed() && isReturning(label, before?.machine ?? null)) await pause(returnLookMs);
      const parts = { ...given, places, repository };
      const open = async (link: MachineLink, row: PlaceRow): Promise<RemotePlace | null> => {
        wanted.add(row.id);
        try {
          return await openRemotePlace({ ...parts, link, row });
        } catch (error) {
          release(owner);
          tried.add(link.id);
          if (!(error instanceof MachineGone)) failed(link.name, error);
          return null;
        }
      };
      const tried = new Set<string>();
      const holder = holderOf();
      const continued = before && holder ? await open(holder, before) : null;
      if (continued !== null) return continued;
      for (let link = choose(label, tried); link !== null; link = choose(label, tried)) {
        const place = await open(link, places.grant(owner, link.id));
        if (place !== null) return place;
      }
      release(owner);
      return null;
    },
    release,
    // Also one that has disconnected since.
    distrust: (machine) => machines.setState(machine, "draining"),
    close() {
      for (const link of links.values()) link.close("Hox is shutting down.");
    },
  };
}
