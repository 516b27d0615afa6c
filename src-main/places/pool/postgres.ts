/** The database that several hosts share: its tables, and transactions that say when it does not answer. */
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { PoolUnreachable } from "../pool-unreachable.ts";

/** Asks within one transaction. @param values for $1, $2… */
export type Ask = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
export type Row = Readonly<Record<string, string | number | null>>;

export interface Postgres {
  /** Of the database's host, to be shown. */
  readonly name: string;
  /** The same connections for the queue. */
  readonly connections: pg.Pool;
  /**
   * @param work by the database's own clock, which is one for all hosts
   * @param patienceMs how long to try again while the database does not answer
   * @throws PoolUnreachable
   */
  transaction<T>(work: (ask: Ask, now: number) => Promise<T>, patienceMs?: number): Promise<T>;
  close(): Promise<void>;
}

const retryMs = 300;
/** A connection that broke since it was used last is no reason to say that the database is gone. */
const defaultPatienceMs = 2_000;

/** Times are in milliseconds. `place` is the table of leases: a host has a place on a machine only by a row of it. */
const tables = `
  CREATE SCHEMA IF NOT EXISTS hox;
  CREATE TABLE IF NOT EXISTS hox.host (id text PRIMARY KEY, name text NOT NULL, heard_at float8 NOT NULL);
  CREATE TABLE IF NOT EXISTS hox.machine (
    id text PRIMARY KEY, name text NOT NULL UNIQUE, key text NOT NULL, state text NOT NULL, about text, heard_at float8
  );
  CREATE TABLE IF NOT EXISTS hox.connection (
    host text, machine text REFERENCES hox.machine ON DELETE CASCADE, heard_at float8 NOT NULL, PRIMARY KEY (host, machine)
  );
  CREATE TABLE IF NOT EXISTS hox.invitation (hash text PRIMARY KEY, expires_at float8 NOT NULL);
  CREATE TABLE IF NOT EXISTS hox.place (
    id text PRIMARY KEY, host text NOT NULL, repository text NOT NULL, run text NOT NULL, worker text NOT NULL,
    epoch float8 NOT NULL, machine text, expires_at float8 NOT NULL, tree text, granted_at float8 NOT NULL
  );
`;

/** One grant at a time in the whole pool, and one change of the tables. */
export const oneAtATime = "SELECT pg_advisory_xact_lock(4646)";

/** @param address a connection string; what it leaves out is read from PGPASSWORD and ~/.pgpass, as psql does */
export function openPostgres(address: string): Postgres {
  const { host } = clientOf(address);
  const connections = new pg.Pool({
    ...{ connectionString: address, application_name: "hox", max: 12, keepAlive: true },
    ...{ connectionTimeoutMillis: 5_000, query_timeout: 10_000 },
    // A host that is stopped in the middle of a grant must not stop the others.
    idle_in_transaction_session_timeout: 3_000,
  });
  const name = host.startsWith("/") ? "this machine" : host;
  // Whoever uses a connection that breaks is told by its question, and the next one opens another.
  connections.on("error", () => undefined);
  connections.on("connect", (client) => client.on("error", () => undefined));
  let prepared: Promise<void> | null = null;

  const once = async <T>(work: (ask: Ask, now: number) => Promise<T>): Promise<T> => {
    const client = await connections.connect().catch(unreached);
    let isBroken = false;
    try {
      const ask: Ask = async (sql, values = []) =>
        (await client.query(sql, [...values]).catch(unreached)).rows as Row[];
      await ask("BEGIN");
      const [clock] = await ask("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
      const done = await work(ask, Math.floor(Number(clock?.now)));
      await ask("COMMIT");
      return done;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {
        isBroken = true;
      });
      throw error;
    } finally {
      client.release(isBroken);
    }
  };
  const prepare = (): Promise<void> => {
    prepared ??= once(async (ask) => {
      await ask(oneAtATime);
      await ask(tables);
    }).catch((error: unknown) => {
      prepared = null;
      throw error;
    });
    return prepared;
  };
  return {
    name,
    connections,
    async transaction(work, patienceMs = defaultPatienceMs) {
      // From the first failure on: this process may have been stopped itself, which the database is not to blame for.
      for (let failedAt: number | null = null; ; await pause(retryMs)) {
        try {
          await prepare();
          return await once(work);
        } catch (error) {
          if (!(error instanceof Unreached)) throw error;
          failedAt ??= performance.now();
          if (performance.now() - failedAt >= patienceMs) throw new PoolUnreachable(name, error.message);
        }
      }
    },
    close: () => connections.end(),
  };
}

/** What an address says wrongly may be a part of a password, so it is not repeated. */
function clientOf(address: string): pg.Client {
  try {
    return new pg.Client({ connectionString: address });
  } catch {
    throw new RemediedError(
      "HOX_POOL is no address of a Postgres database.",
      "Write it as postgres://<user>@<host>/<database>, and the password into PGPASSWORD or ~/.pgpass.",
    );
  }
}

class Unreached extends Error {}

/** Anything but a mistake in a question: no connection, no permission, no such database, shutting down. */
function unreached(error: Error & { readonly severity?: string; readonly code?: string }): never {
  if (error.severity !== undefined && !/^(?:08|28|3D|53|57)/u.test(error.code ?? "")) throw error;
  // Connections to several addresses of one name fail together, and say nothing themselves.
  const [first] = error instanceof AggregateError ? error.errors : [error];
  throw new Unreached((first as Error).message);
}
