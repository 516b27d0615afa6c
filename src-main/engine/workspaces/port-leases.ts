/** Separate ports for each workspace, so that two agents can start the same server at once. */
import { existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Ports } from "#shared/domain/worker/worker-record.ts";
import type { RunReader } from "../ports.ts";

const lastPort = 65_535;

/**
 * Leases a workspace the lowest free range, the same one for as long as its folder exists. Ranges of all runs
 * that share the file are disjoint, across processes, and avoid ports in use. A range whose folder is gone is
 * free again, so nothing has to be returned. Null if no range is left, or none is configured.
 *
 * @param file SQLite database of the leases; can be recreated
 * @param folder the workspace, as an absolute path
 */
export async function leasePorts(
  file: string,
  folder: string,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<Ports | null> {
  if (count === 0) return null;
  mkdirSync(dirname(file), { recursive: true });
  const leases = new DatabaseSync(file);
  try {
    // Durability is not needed: a lost lease is recreated.
    leases.exec(
      "PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; CREATE TABLE IF NOT EXISTS leases (folder TEXT PRIMARY KEY, base INTEGER, count INTEGER) STRICT",
    );
    for (let from = first; ; ) {
      const ports = claim(leases, folder, from, count);
      if (ports === null || (await areFree(ports))) return ports;
      leases.prepare("DELETE FROM leases WHERE folder = ?").run(folder);
      from = ports.base + ports.count;
    }
  } finally {
    leases.close();
  }
}

/** Takes the lowest range from `from` on that no living workspace has, in one transaction of all processes. */
function claim(leases: DatabaseSync, folder: string, from: number, count: number): Ports | null {
  leases.exec("BEGIN IMMEDIATE");
  try {
    const held: (Ports & { readonly folder: string })[] = [];
    for (const { folder: owner, base, count: size } of leases
      .prepare("SELECT folder, base, count FROM leases ORDER BY base")
      .all()) {
      const lease = { folder: String(owner), base: Number(base), count: Number(size) };
      if (lease.folder === folder || existsSync(lease.folder)) held.push(lease);
      else leases.prepare("DELETE FROM leases WHERE folder = ?").run(lease.folder);
    }
    const own = held.find((lease) => lease.folder === folder);
    let base = own?.base ?? from;
    if (!own) {
      for (const lease of held)
        if (base < lease.base + lease.count && lease.base < base + count) base = lease.base + lease.count;
      if (base + count - 1 <= lastPort)
        leases.prepare("INSERT INTO leases VALUES (?, ?, ?)").run(folder, base, count);
    }
    leases.exec("COMMIT");
    if (own) return { base: own.base, count: own.count };
    return base + count - 1 <= lastPort ? { base, count } : null;
  } catch (error) {
    leases.exec("ROLLBACK");
    throw error;
  }
}

async function areFree({ base, count }: Ports): Promise<boolean> {
  const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(base + index)));
  return free.every(Boolean);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Who it is, and the ports of its workspace, so that two agents may start the same server at once. */
export function environmentOf(run: RunReader, worker: string): Readonly<Record<string, string>> {
  const { ports } = run.worker(worker).record;
  return {
    HOX_WORKER: worker,
    ...(ports
      ? {
          HOX_PORT_BASE: String(ports.base),
          HOX_PORT_COUNT: String(ports.count),
          // The default variable of many servers.
          PORT: String(ports.base),
        }
      : {}),
  };
}
