/**
 * Who gets which place, and which machines there are: in SQLite for one host (`places-database.ts`), in Postgres for hosts that
 * share a pool of machines (`pool/pool-database.ts`).
 */

import type { Claim, Contact, Grant } from "#shared/domain/places/lease.ts";
import type { MachineAbout } from "./machine-contract.ts";

/** SQLite answers at once, another machine later. */
type Awaitable<T> = T | Promise<T>;

/** Which workspace a place is for. */
export interface PlaceOwner {
  /** Of the repository: its folder on the host. */
  readonly repository: string;
  readonly run: string;
  readonly worker: string;
}

export interface PlaceRow extends PlaceOwner, Grant {
  readonly id: string;
  readonly grantedAt: number;
}

/** What a place has to be. */
export interface PlaceWish {
  readonly label: string;
  /** An agent of another make whose program it has to have; null: none. */
  readonly agent: string | null;
  /** 0 is served first. */
  readonly priority: number;
  /** Machines that could not make it. */
  readonly except: ReadonlySet<string>;
  /** Whether a machine is connected to this host. */
  readonly contact: (machine: string) => Contact;
}

export interface Places {
  /** The place of a workspace, as it was granted last. */
  of(owner: PlaceOwner): Awaitable<PlaceRow | null>;
  /**
   * Grants it anew, on a machine that has room: whatever an earlier holder sends does not count from then on.
   * Null: no machine has room, after a wait where machines are shared.
   */
  claim(owner: PlaceOwner, wish: PlaceWish): Awaitable<PlaceRow | null>;
  /** The host itself has it from then on. */
  release(owner: PlaceOwner): Awaitable<void>;
  /** The machine has answered: its leases of these places last longer. */
  renew(machine: string, ids: readonly string[]): Awaitable<void>;
  /** Why nothing that a machine sends for the place counts; null: it counts. */
  refusalOf(id: string, claim: Claim): Awaitable<string | null>;
  /**
   * Counts files as those of the place, in the transaction that looks whether its sender still holds it.
   * @returns why they do not count, or null
   */
  acceptTree(id: string, claim: Claim, tree: string): Awaitable<string | null>;
  /** All that machines hold for this host, oldest first; leases that have ended are none. */
  held(): Awaitable<readonly PlaceRow[]>;
}

/** A machine that has been enrolled. */
export interface MachineRow {
  readonly id: string;
  readonly name: string;
  readonly state: "active" | "draining";
  /** What it said of itself when it connected last; null: never. */
  readonly about: MachineAbout | null;
  /** When it answered last, as a time of day; null: never. */
  readonly heardAt: number | null;
}

export interface Machines {
  /** An invitation for one machine. */
  invite(): Awaitable<string>;
  /** Whether an invitation counts; it is not taken. */
  isInvited(invitation: string): Awaitable<boolean>;
  /** Takes an invitation. @returns the machine's key, which is kept nowhere; null: the invitation does not count */
  enrol(invitation: string, name: string): Awaitable<{ readonly id: string; readonly key: string } | null>;
  /** The machine whose key this is; null: none, or it was removed. */
  authenticate(id: string, key: string): Awaitable<MachineRow | null>;
  all(): Awaitable<readonly MachineRow[]>;
  heard(id: string, about: MachineAbout): Awaitable<void>;
  setState(id: string, state: MachineRow["state"]): Awaitable<void>;
  /** Its key counts no more. */
  remove(id: string): Awaitable<void>;
  /** Whether any machine was enrolled or may enrol: otherwise nothing listens. */
  areExpected(): Awaitable<boolean>;
}

export interface PlacesDatabase {
  readonly places: Places;
  readonly machines: Machines;
  /** What hosts share; null: this host has its machines alone. */
  readonly pool: SharedPool | null;
  close(): Awaitable<void>;
}

/** What other hosts hold on a machine. */
interface HeldElsewhere {
  readonly machine: string;
  /** Name of the host. */
  readonly host: string;
  readonly held: number;
}

interface SharedPool {
  /** Of the database's host, to be shown. */
  readonly name: string;
  /** Takes part: takes over its own queue entries, and frees what hosts that are gone have left. */
  join(): Promise<void>;
  heldElsewhere(): Promise<readonly HeldElsewhere[]>;
}

/** Where hosts listen for workers: the same port each time, so that a worker finds its host again. `HOX_WORKER_PORT` names another. */
export const defaultWorkerPort = Number(process.env.HOX_WORKER_PORT) || 4646;
