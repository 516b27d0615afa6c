/** A Postgres of its own for tests and benches, in a private folder on a socket of it. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { postgresFolder, programsFor } from "../../../build/setup/postgres.mjs";

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/** Whether there is a Postgres to start: set-up has said what to do where there is none. */
export const hasPostgres = (): boolean => postgresFolder() !== undefined;

const maxAttempts = 100;

/** @param isDurable it waits for the disk with each commit, as users' servers do */
export async function startPostgres({ isDurable = false } = {}) {
  // It refuses to run as root, and its folder has to be one that others may go through.
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: nobody("-u"), gid: nobody("-g") } : {};
  const folder = mkdtempSync(join(isRoot ? "/tmp" : tmpdir(), "hox-pg-"));
  chmodSync(folder, 0o700);
  if (isRoot) chownSync(folder, nobody("-u"), nobody("-g"));
  const { programs, env } = programsFor(postgresFolder() ?? "", folder);
  const data = join(folder, "data");
  const made = spawnSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "hox", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    { ...user, env, cwd: folder, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.error?.message ?? ""}`);
  const address = `postgres://hox@/postgres?host=${encodeURIComponent(folder)}`;
  let server: ChildProcess | null = null;

  const answers = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: address });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const start = async (): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      const settings = [
        ...["-clisten_addresses=", `-cunix_socket_directories=${folder}`, "-cjit=off"],
        // Otherwise a killed one leaves its shared memory behind on the machine.
        "-cdynamic_shared_memory_type=mmap",
      ];
      const child = spawn(
        join(programs, "postgres"),
        ["-D", data, ...settings, ...(isDurable ? [] : ["-cfsync=off"])],
        // A group of its own, so that all of its processes can be killed at once.
        { ...user, env, cwd: folder, stdio: ["ignore", "ignore", "pipe"], detached: true },
      );
      let said = "";
      child.stderr?.on("data", (data: Buffer) => {
        said = (said + data.toString()).slice(-2_000);
      });
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      let isOver = false;
      void ended.then(() => {
        isOver = true;
      });
      while (!isOver) {
        if (await answers()) {
          server = child;
          return;
        }
        await pause(50);
      }
      // What was killed may still be there for a moment.
      if (attempt === maxAttempts) throw new Error(`Postgres does not start: ${said}`);
      await pause(100);
    }
  };
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (server?.pid === undefined || server.signalCode !== null || server.exitCode !== null) return;
    const ended = new Promise<void>((resolve) => server?.once("exit", () => resolve()));
    process.kill(-server.pid, signal);
    await ended;
  };
  await start();
  return {
    address,
    start,
    /** Of the group of its processes. */
    group: () => server?.pid ?? null,
    ended: () => new Promise<void>((resolve) => server?.once("exit", () => resolve())),
    /** As a machine that loses its power, but for its disk. */
    kill: () => stop("SIGKILL"),
    async remove(): Promise<void> {
      await stop("SIGKILL");
      await pause(50);
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

const nobody = (what: "-u" | "-g"): number =>
  Number(spawnSync("id", [what, "nobody"], { encoding: "utf8" }).stdout);
