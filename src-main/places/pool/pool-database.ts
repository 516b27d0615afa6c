/** Places and machines of a pool that several hosts share, in Postgres. Loaded only where a pool is configured. */
import { setTimeout as pause } from "node:timers/promises";
import { type LeaseTimes, leaseTimes } from "#shared/domain/places/lease.ts";
import { isFor } from "../machine-for.ts";
import type { PlaceOwner, PlacesDatabase, PlaceWish } from "../places-interface.ts";
import { joinQueue, type PlaceQueue, type Step } from "./hold-place.ts";
import { createLeases, type PlaceRequest } from "./pool-leases.ts";
import { poolMachines } from "./pool-machines.ts";
import { openPostgres } from "./postgres.ts";

const retryMs = 300;

interface PoolOptions {
  /** A connection string. */
  readonly address: string;
  /** Id of this host: the same at each start. */
  readonly host: string;
  readonly hostName: string;
  readonly times?: LeaseTimes;
  /** How long a place is waited for before the host has it itself. */
  readonly maxWaitMs?: number;
  readonly warn?: (text: string) => void;
  readonly reached?: (step: Step) => void;
}

export function openPool({
  address,
  host,
  hostName,
  times = leaseTimes,
  maxWaitMs = 30_000,
  warn = () => {},
  reached = () => {},
}: PoolOptions): PlacesDatabase {
  const postgres = openPostgres(address);
  const machines = poolMachines(postgres, host);
  const leases = createLeases(postgres, host, times);
  let queue: PlaceQueue | null = null;
  let joining: Promise<void> | null = null;

  const join = (): Promise<void> => {
    joining ??= joinQueue({ postgres, leases, host, hostName, times, reached, warn })
      .then((joined) => {
        queue = joined;
      })
      .catch((error: unknown) => {
        joining = null;
        throw error;
      });
    return joining;
  };
  /** @returns whether it was granted; null: not within the time */
  const waitInQueue = async (
    entries: PlaceQueue,
    owner: PlaceOwner,
    request: PlaceRequest,
    priority: number,
  ): Promise<boolean | null> => {
    for (const begun = performance.now(); ; await pause(retryMs)) {
      const leftMs = maxWaitMs - (performance.now() - begun);
      if (leftMs <= 0) return null;
      try {
        // DBOS itself waits for its database for as long as it takes.
        const late = pause(leftMs + times.heartbeatMs, null, { ref: false });
        return await Promise.race([entries.enter(request, priority, leftMs), late]);
      } catch (error) {
        warn(String(error));
        // Where the database is gone, this says so; else the same entry is entered again.
        await leases.of(owner);
      }
    }
  };
  const claim = async (owner: PlaceOwner, { label, agent, priority, except, contact }: PlaceWish) => {
    const isOffered = (await machines.all()).some(
      ({ id, about }) =>
        about !== null && contact(id) === "connected" && !except.has(id) && isFor(about, { label, agent }),
    );
    if (!isOffered) return null;
    await join();
    if (queue === null) return null;
    const own = leases.own(owner);
    const epoch = ((await leases.of(owner))?.epoch ?? 0) + 1;
    const request: PlaceRequest = { ...own, epoch, label, agent, except: [...except] };
    const isGranted = await waitInQueue(queue, owner, request, priority);
    // It may have been granted a moment ago.
    const row = await leases.giveUp(request);
    if (row === null && isGranted !== true) queue.leave(request);
    reached("granted");
    return row;
  };
  return {
    places: {
      ...leases,
      claim,
      async release(owner) {
        const epoch = await leases.release(owner);
        reached("freed");
        if (epoch !== null) queue?.freed({ place: leases.own(owner).place, epoch });
      },
    },
    machines,
    pool: { name: postgres.name, join, heldElsewhere: leases.heldElsewhere },
    async close() {
      await joining?.catch(() => undefined);
      await queue?.close();
      await postgres.close();
    },
  };
}
