import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  claimRefusal,
  grantNext,
  type LeaseTimes,
  leaseTimes,
  renewed,
} from "#shared/domain/places/lease.ts";
import { machineAbout } from "./machine-contract.ts";
import { machineFor } from "./machine-for.ts";
import { hashOf, invitationMs, isKey, nameFor, newMachineId, newSecret } from "./machine-keys.ts";
import type { MachineRow, Machines, PlaceOwner, PlaceRow, Places } from "./places-interface.ts";

/** In the state folder that all repositories of a user share. */
export const placesFile = (stateFolder: string): string => join(stateFolder, "workers.sqlite");

/** Whether any machine was ever invited: without, nothing is opened and nothing listens. */
export const hasPlaces = (stateFolder: string): boolean => existsSync(placesFile(stateFolder));

/** Until then a machine that was away may still have the place, and must not be taken for its next holder. */
export const keptMs = 30 * 24 * 60 * 60_000;

const tables = `
  CREATE TABLE IF NOT EXISTS machine (
    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, key TEXT NOT NULL, state TEXT NOT NULL, about TEXT, heard_at INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS invitation (hash TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS place (
    id TEXT PRIMARY KEY, repository TEXT NOT NULL, run TEXT NOT NULL, worker TEXT NOT NULL, epoch INTEGER NOT NULL,
    machine TEXT, expires_at INTEGER NOT NULL, tree TEXT, granted_at INTEGER NOT NULL
  ) STRICT;
`;

/** The same, answered at once. */
type AtOnce<T> = {
  readonly [Name in keyof T]: T[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Awaited<Answer>
    : T[Name];
};

interface LocalPlaces extends AtOnce<Places> {
  /** Grants it anew. Null: the host itself has it. */
  grant(owner: PlaceOwner, machine: string | null): PlaceRow;
}

export interface LocalDatabase {
  readonly places: LocalPlaces;
  readonly machines: AtOnce<Machines>;
  readonly pool: null;
  close(): void;
}

/** @param now the time of day: leases outlive this process */
export function openPlaces(path: string, now: () => number, times: LeaseTimes = leaseTimes): LocalDatabase {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;");
  database.exec(tables);
  return {
    places: createPlaces(database, now, times),
    machines: createMachines(database, now),
    pool: null,
    close: () => database.close(),
  };
}

const together =
  (database: DatabaseSync) =>
  <T>(work: () => T): T => {
    database.exec("BEGIN IMMEDIATE");
    try {
      const done = work();
      database.exec("COMMIT");
      return done;
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  };

type Row = Readonly<Record<string, unknown>>;

/** A row of either database. */
export const placeOf = (row: Row): PlaceRow => ({
  id: String(row.id),
  repository: String(row.repository),
  run: String(row.run),
  worker: String(row.worker),
  epoch: Number(row.epoch),
  machine: row.machine == null ? null : String(row.machine),
  expiresAt: Number(row.expires_at),
  tree: row.tree == null ? null : String(row.tree),
  grantedAt: Number(row.granted_at),
});

/** @param host whose workspace it is, where several share the places */
export const placeId = ({ repository, run, worker }: PlaceOwner, host?: string): string =>
  createHash("sha256")
    .update(JSON.stringify([repository, run, worker, ...(host === undefined ? [] : [host])]))
    .digest("hex")
    .slice(0, 32);

function createPlaces(database: DatabaseSync, now: () => number, times: LeaseTimes): LocalPlaces {
  const transaction = together(database);
  const read = (id: string): PlaceRow | null => {
    const row = database.prepare("SELECT * FROM place WHERE id = ?").get(id);
    return row ? placeOf(row) : null;
  };
  const held = (): PlaceRow[] =>
    database
      .prepare("SELECT * FROM place WHERE machine IS NOT NULL AND expires_at > ? ORDER BY granted_at")
      .all(now())
      .map(placeOf);
  const write = (owner: PlaceOwner, machine: string | null): PlaceRow => {
    const id = placeId(owner);
    database
      .prepare("DELETE FROM place WHERE id <> ? AND granted_at <= ? AND (machine IS NULL OR expires_at <= ?)")
      .run(id, now() - keptMs, now() - keptMs);
    const { epoch, expiresAt, tree } = grantNext(read(id), machine, now(), times);
    database
      .prepare("INSERT OR REPLACE INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(id, owner.repository, owner.run, owner.worker, epoch, machine, expiresAt, tree, now());
    return { ...owner, id, epoch, machine, expiresAt, tree, grantedAt: now() };
  };
  return {
    of: (owner) => read(placeId(owner)),
    grant: (owner, machine) => transaction(() => write(owner, machine)),
    claim: (owner, wish) =>
      transaction(() => {
        const machines = database.prepare("SELECT * FROM machine").all().map(machineOf);
        const heldBy = (machine: string): number => held().filter((one) => one.machine === machine).length;
        const machine = machineFor(machines, wish, heldBy);
        return machine === null ? null : write(owner, machine);
      }),
    release: (owner) =>
      transaction(() => {
        if (read(placeId(owner))?.machine != null) write(owner, null);
      }),
    renew: (machine, ids) =>
      transaction(() => {
        for (const row of ids.flatMap((id) => read(id) ?? []))
          if (claimRefusal(row, { machine, epoch: row.epoch }, now()) === null)
            database
              .prepare("UPDATE place SET expires_at = ? WHERE id = ?")
              .run(renewed(row, now(), times).expiresAt, row.id);
      }),
    refusalOf: (id, claim) => claimRefusal(read(id), claim, now()),
    acceptTree: (id, claim, tree) =>
      transaction(() => {
        const refusal = claimRefusal(read(id), claim, now());
        if (refusal === null) database.prepare("UPDATE place SET tree = ? WHERE id = ?").run(tree, id);
        return refusal;
      }),
    held,
  };
}

/** A row of either database. */
export const machineOf = (row: Row): MachineRow => ({
  id: String(row.id),
  name: String(row.name),
  state: row.state === "draining" ? "draining" : "active",
  about: row.about == null ? null : machineAbout.parse(JSON.parse(String(row.about))),
  heardAt: row.heard_at == null ? null : Number(row.heard_at),
});

function createMachines(database: DatabaseSync, now: () => number): AtOnce<Machines> {
  const transaction = together(database);
  return {
    invite() {
      const invitation = newSecret();
      database.prepare("DELETE FROM invitation WHERE expires_at <= ?").run(now());
      database.prepare("INSERT INTO invitation VALUES (?, ?)").run(hashOf(invitation), now() + invitationMs);
      return invitation;
    },
    isInvited: (invitation) =>
      database
        .prepare("SELECT 1 FROM invitation WHERE hash = ? AND expires_at > ?")
        .get(hashOf(invitation), now()) !== undefined,
    enrol: (invitation, name) =>
      transaction(() => {
        const { changes } = database
          .prepare("DELETE FROM invitation WHERE hash = ? AND expires_at > ?")
          .run(hashOf(invitation), now());
        if (changes === 0) return null;
        const [id, key] = [newMachineId(), newSecret()];
        const taken = database.prepare("SELECT 1 FROM machine WHERE name = ?").get(name) !== undefined;
        database
          .prepare("INSERT INTO machine VALUES (?, ?, ?, 'active', NULL, NULL)")
          .run(id, nameFor(name, id, taken), hashOf(key));
        return { id, key };
      }),
    authenticate(id, key) {
      const row = database.prepare("SELECT * FROM machine WHERE id = ?").get(id);
      return row && isKey(String(row.key), key) ? machineOf(row) : null;
    },
    all: () => database.prepare("SELECT * FROM machine ORDER BY name").all().map(machineOf),
    heard: (id, said) =>
      void database
        .prepare("UPDATE machine SET about = ?, heard_at = ? WHERE id = ?")
        .run(JSON.stringify(said), now(), id),
    setState: (id, state) =>
      void database.prepare("UPDATE machine SET state = ? WHERE id = ?").run(state, id),
    remove: (id) => void database.prepare("DELETE FROM machine WHERE id = ?").run(id),
    areExpected: () =>
      database
        .prepare("SELECT 1 FROM machine UNION SELECT 1 FROM invitation WHERE expires_at > ?")
        .get(now()) !== undefined,
  };
}
