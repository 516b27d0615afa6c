/** Who gets which place, and which machines there are. Implemented in SQLite for one host: `places-database.ts`. */

import type { Claim, Grant } from "#shared/domain/places/lease.ts";

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

export interface Places {
  /** The place of a workspace, as it was granted last. */
  of(owner: PlaceOwner): PlaceRow | null;
  /** Grants it anew: whatever an earlier holder sends does not count from then on. Null: the host itself has it. */
  grant(owner: PlaceOwner, machine: string | null): PlaceRow;
  /** The machine has answered: its leases of these places last longer. */
  renew(machine: string, ids: readonly string[]): void;
  /** Why nothing that a machine sends for the place counts; null: it counts. */
  refusalOf(id: string, claim: Claim): string | null;
  /**
   * Counts files as those of the place, in the transaction that looks whether its sender still holds it.
   * @returns why they do not count, or null
   */
  acceptTree(id: string, claim: Claim, tree: string): string | null;
  /** All that machines hold, oldest first; leases that have ended are none. */
  held(): readonly PlaceRow[];
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

interface MachineAbout {
  readonly labels: readonly string[];
  readonly capacity: number;
  readonly protocol: number;
  /** What holds commands in there, as it found out itself. */
  readonly isolation: { readonly kind: string; readonly summary: string };
}

export interface Machines {
  /** An invitation for one machine. */
  invite(): string;
  /** Takes an invitation. @returns the machine's key, which is kept nowhere; null: the invitation does not count */
  enrol(invitation: string, name: string): { readonly id: string; readonly key: string } | null;
  /** The machine whose key this is; null: none, or it was removed. */
  authenticate(id: string, key: string): MachineRow | null;
  all(): readonly MachineRow[];
  heard(id: string, about: MachineAbout): void;
  setState(id: string, state: MachineRow["state"]): void;
  /** Its key counts no more. */
  remove(id: string): void;
  /** Whether any machine was enrolled or may enrol: otherwise nothing listens. */
  areExpected(): boolean;
}

/** Where hosts listen for workers: the same port each time, so that a worker finds its host again. `HOX_WORKER_PORT` names another. */
export const defaultWorkerPort = Number(process.env.HOX_WORKER_PORT) || 4646;
