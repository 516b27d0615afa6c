/** The table of leases: which host has which place on which machine. Every grant is one transaction of it. */
import { setTimeout as pause } from "node:timers/promises";
import {
  type Claim,
  claimRefusal,
  contactOf,
  grantNext,
  type LeaseTimes,
  renewed,
} from "#shared/domain/places/lease.ts";
import { machineFor } from "../machine-for.ts";
import { keptMs, machineOf, placeId, placeOf } from "../places-database.ts";
import type { PlaceOwner, PlaceRow } from "../places-interface.ts";
import { PoolUnreachable } from "../pool-unreachable.ts";
import { type Ask, oneAtATime, type Postgres, type Row } from "./postgres.ts";

/** One place that a host wants, as it is in the queue. */
export interface PlaceRequest extends PlaceOwner {
  readonly place: string;
  readonly host: string;
  /** The epoch that it will be of: there is one grant of it, however often it is asked for. */
  readonly epoch: number;
  readonly label: string;
  /** Absent in entries of hosts that have no agents of other makes on machines. */
  readonly agent?: string | null;
  readonly except: readonly string[];
}

export type Leases = ReturnType<typeof createLeases>;

const lookForRoomMs = 200;

/** @param host id of this one */
export function createLeases({ transaction }: Postgres, host: string, times: LeaseTimes) {
  const read = async (ask: Ask, id: string): Promise<PlaceRow | null> => {
    const [row] = await ask("SELECT * FROM hox.place WHERE id = $1 FOR UPDATE", [id]);
    return row ? placeOf(row) : null;
  };
  const write = async (
    ask: Ask,
    owner: PlaceOwner & { readonly host: string; readonly place: string },
    machine: string | null,
    now: number,
  ): Promise<PlaceRow> => {
    const { place: id, repository, run, worker } = owner;
    const next = grantNext(await read(ask, id), machine, now, times);
    await ask(
      `INSERT INTO hox.place VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (id) DO UPDATE SET epoch = $6, machine = $7, expires_at = $8, granted_at = $10`,
      [id, owner.host, repository, run, worker, next.epoch, machine, next.expiresAt, next.tree, now],
    );
    return { ...next, id, repository, run, worker, grantedAt: now };
  };
  const own = (owner: PlaceOwner) => ({ ...owner, host, place: placeId(owner, host) });

  /** @returns the grant; null: it is not wanted any more; "no room" */
  const tryClaim = (request: PlaceRequest): Promise<PlaceRow | null | "no room"> =>
    transaction(async (ask, begun) => {
      await ask(oneAtATime);
      const row = await read(ask, request.place);
      // A host was killed after it had granted it, and before it had said so.
      if (row?.epoch === request.epoch) return row.machine === null ? null : row;
      if ((row?.epoch ?? 0) > request.epoch) return null;
      const [asking] = await ask("SELECT heard_at FROM hox.host WHERE id = $1", [request.host]);
      const asker = contactOf(Number(asking?.heard_at ?? 0), begun, times);
      if (asker !== "connected") return asker === "gone" ? null : "no room";
      const machines = (await ask("SELECT * FROM hox.machine")).map(machineOf);
      const heard = await ask("SELECT machine, heard_at FROM hox.connection WHERE host = $1", [request.host]);
      const held = await ask(
        `SELECT machine, count(*)::int AS held FROM hox.place
         WHERE machine IS NOT NULL AND expires_at > extract(epoch FROM clock_timestamp()) * 1000 GROUP BY machine`,
      );
      const of = (rows: readonly Row[], machine: string, what: string): number =>
        Number(rows.find((one) => one.machine === machine)?.[what] ?? 0);
      const machine = machineFor(
        machines,
        {
          label: request.label,
          agent: request.agent ?? null,
          except: new Set(request.except),
          contact: (id) => contactOf(of(heard, id, "heard_at"), begun, times),
        },
        (id) => of(held, id, "held"),
      );
      return machine === null ? "no room" : write(ask, request, machine, begun);
    });

  return {
    own,
    of: (owner: PlaceOwner): Promise<PlaceRow | null> => transaction((ask) => read(ask, own(owner).place)),
    /**
     * Grants it as soon as a machine has room.
     * @param isClosed this host has left the pool; another one continues
     * @returns null: it is not wanted any more
     */
    async claimWhenRoom(request: PlaceRequest, isClosed: () => boolean): Promise<PlaceRow | null> {
      for (;;) {
        if (isClosed()) throw new Error("This host has left the pool.");
        const row = await tryClaim(request).catch((error: unknown) => {
          if (error instanceof PoolUnreachable) return "no room" as const;
          throw error;
        });
        if (row !== "no room") return row;
        await pause(lookForRoomMs);
      }
    },
    /** The host has it, unless this epoch was granted meanwhile. @returns the grant, or null */
    giveUp: (request: PlaceRequest): Promise<PlaceRow | null> =>
      transaction(async (ask, now) => {
        await ask(oneAtATime);
        const row = await read(ask, request.place);
        if (row?.epoch === request.epoch && row.machine !== null) return row;
        if ((row?.epoch ?? 0) < request.epoch) await write(ask, request, null, now);
        return null;
      }),
    /** @returns the epoch that has ended; null: the host had it already */
    release: (owner: PlaceOwner): Promise<number | null> =>
      transaction(async (ask, now) => {
        await ask(oneAtATime);
        const row = await read(ask, own(owner).place);
        if (row?.machine == null) return null;
        await write(ask, own(owner), null, now);
        return row.epoch;
      }),
    renew: (machine: string, ids: readonly string[]): Promise<void> =>
      transaction(async (ask, now) => {
        for (const id of ids.toSorted()) {
          const row = await read(ask, id);
          if (row && claimRefusal(row, { machine, epoch: row.epoch }, now) === null)
            await ask("UPDATE hox.place SET expires_at = $2 WHERE id = $1", [
              id,
              renewed(row, now, times).expiresAt,
            ]);
        }
      }),
    refusalOf: (id: string, claim: Claim): Promise<string | null> =>
      transaction(async (ask, now) => claimRefusal(await read(ask, id), claim, now), times.goneMs),
    acceptTree: (id: string, claim: Claim, tree: string): Promise<string | null> =>
      transaction(async (ask, now) => {
        const refusal = claimRefusal(await read(ask, id), claim, now);
        if (refusal === null) await ask("UPDATE hox.place SET tree = $2 WHERE id = $1", [id, tree]);
        return refusal;
      }, times.goneMs),
    /** Frees what nobody has renewed; what its holder still sends is of an older epoch then. */
    freeEnded: (): Promise<void> =>
      transaction(async (ask, now) => {
        await ask(
          `UPDATE hox.place SET machine = NULL, epoch = epoch + 1, granted_at = $1, expires_at = $2 WHERE id IN (
             SELECT id FROM hox.place WHERE machine IS NOT NULL AND expires_at <= $1 FOR UPDATE SKIP LOCKED)`,
          [now, Number.MAX_SAFE_INTEGER],
        );
        await ask("DELETE FROM hox.place WHERE machine IS NULL AND granted_at <= $1", [now - keptMs]);
      }),
    held: (): Promise<readonly PlaceRow[]> =>
      transaction(async (ask, now) =>
        (
          await ask(
            "SELECT * FROM hox.place WHERE host = $1 AND machine IS NOT NULL AND expires_at > $2 ORDER BY granted_at",
            [host, now],
          )
        ).map(placeOf),
      ),
    heldElsewhere: () =>
      transaction(async (ask, now) =>
        (
          await ask(
            `SELECT machine, host.name AS host, count(*)::int AS held FROM hox.place JOIN hox.host ON host.id = place.host
             WHERE host.id <> $1 AND machine IS NOT NULL AND expires_at > $2 GROUP BY machine, host.id ORDER BY host.name`,
            [host, now],
          )
        ).map((row) => ({ machine: String(row.machine), host: String(row.host), held: Number(row.held) })),
      ),
  };
}
