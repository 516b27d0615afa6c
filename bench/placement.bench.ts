import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { installPostgres } from "../build/setup/postgres.mjs";
import { machineProtocol } from "../src-main/places/machine-contract.ts";
import { openPlaces } from "../src-main/places/places-database.ts";
import type { PlacesDatabase } from "../src-main/places/places-interface.ts";
import { openPool } from "../src-main/places/pool/pool-database.ts";
import { hasPostgres, startPostgres } from "../src-main/places/testing/postgres-server.ts";
import { type Bench, percentile, row } from "./row.ts";

const rounds = 60;

/** Milliseconds of each, one after the other. */
async function timed(work: (round: number) => unknown, after: (round: number) => unknown = () => undefined) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await work(round);
    times.push(performance.now() - begun);
    await after(round);
  }
  return times;
}

/** From asking for a place until it is granted, on a machine with room. */
async function placement({ places, machines }: PlacesDatabase): Promise<readonly number[]> {
  const { id } = (await machines.enrol(await machines.invite(), "box")) ?? { id: "" };
  const isolation = { kind: "bubblewrap", summary: "" };
  await machines.heard(id, { labels: ["test"], capacity: 4, protocol: machineProtocol, isolation });
  const owner = (round: number) => ({ repository: "/r", run: "run", worker: `agent-${round}` });
  return timed(
    async (round) => {
      const granted = await places.claim(owner(round), {
        ...{ label: "test", agent: null, priority: 2, except: new Set<string>() },
        contact: () => "connected",
      });
      if (granted === null) throw new Error("No place was granted.");
    },
    (round) => places.release(owner(round)),
  );
}

async function onSqlite() {
  const folder = await mkdtemp(join(tmpdir(), "hox-bench-"));
  const database = openPlaces(join(folder, "workers.sqlite"), () => Date.now());
  const bare = new DatabaseSync(join(folder, "bare.sqlite"));
  try {
    bare.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (a)");
    const insert = bare.prepare("INSERT INTO t VALUES (?)");
    return { granted: await placement(database), bare: await timed((round) => insert.run(round)) };
  } finally {
    bare.close();
    database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function onPostgres() {
  const server = await startPostgres({ isDurable: true });
  const pool = openPool({ address: server.address, host: "bench", hostName: "bench" });
  const bare = new pg.Client({ connectionString: server.address });
  try {
    await bare.connect();
    await bare.query("CREATE TABLE t (a int)");
    await pool.pool?.join();
    const granted = await placement(pool);
    return { granted, bare: await timed((round) => bare.query("INSERT INTO t VALUES ($1)", [round])) };
  } finally {
    await bare.end();
    await pool.close();
    await server.remove();
  }
}

const median = (times: readonly number[]): number => percentile(times, 50);

/** How long an agent waits for the grant of a place that is free, beside one durable insert in the same database. */
const bench: Bench = {
  name: "placement",
  async *run() {
    const sqlite = await onSqlite();
    const value = median(sqlite.granted);
    yield row({
      ...{ name: "a place granted by one host (SQLite)", value, unit: "ms", reference: median(sqlite.bare) },
      ...{ hold: "≤ 10 ms", ok: value <= 10 },
    });
    await installPostgres((line) => void process.stderr.write(`${line}\n`));
    if (!hasPostgres()) return;
    const postgres = await onPostgres();
    const queued = median(postgres.granted);
    yield row({
      ...{ name: "a place granted by a pool (DBOS on Postgres)", value: queued, unit: "ms" },
      ...{ reference: median(postgres.bare), hold: "≤ 300 ms", ok: queued <= 300 },
    });
  },
};
export default bench;
