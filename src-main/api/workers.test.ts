import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { type FleetView, isSameFleet } from "#shared/domain/places/machine-view.ts";
import { openPlaces, placesFile } from "../places/places-database.ts";
import { hasPostgres, startPostgres } from "../places/testing/postgres-server.ts";
import { eventually } from "../testing/kit.ts";
import { openWorkerDoor } from "../transport/worker-door.ts";
import { Refusal } from "./refusal.ts";
import { createHostWorkers } from "./workers.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hox-host-workers-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
});

/** The workers of a host on any port; `seen` has the view after each change that was told. */
function open() {
  const seen: FleetView[] = [];
  const workers = createHostWorkers(
    folder,
    (parts) => openWorkerDoor(parts, 0),
    () => seen.push(workers.view()),
  );
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= workers.close());
  onTestFinished(close);
  return { workers, seen, close };
}

/** As `hox workers` in another process does. */
function another() {
  const database = openPlaces(placesFile(folder), () => Date.now());
  onTestFinished(() => database.close());
  return database;
}

test("what another process does with workers is told, and each change once", async () => {
  const { workers, seen } = open();
  expect(workers.view()).toEqual({ machines: [], isServedElsewhere: false, pool: null });
  const { machines } = another();
  const { id = "" } = machines.enrol(machines.invite(), "box") ?? {};
  await eventually(() => expect(workers.view().machines).toMatchObject([{ name: "box", state: "active" }]));
  machines.setState(id, "draining");
  await eventually(() => expect(workers.view().machines).toMatchObject([{ state: "draining" }]));
  machines.remove(id);
  await eventually(() => expect(workers.view().machines).toEqual([]));
  expect(seen.every((view, at) => at === 0 || !isSameFleet(view, seen[at - 1] as FleetView))).toBe(true);
});

test("an invitation of the window lets a machine in, which the window drains, resumes and removes", async () => {
  const { workers, seen } = open();
  const { invitation, command } = await workers.invite(null);
  expect(command).toContain(invitation);
  const { machines, places } = another();
  const { id = "" } = machines.enrol(invitation, "box") ?? {};
  expect(machines.enrol(invitation, "other"), "it is valid once").toBeNull();
  machines.heard(id, {
    ...{ labels: ["fast"], capacity: 2, protocol: 99 },
    isolation: { kind: "bubblewrap", summary: "bubblewrap" },
  });
  places.grant({ repository: "/r", run: "run", worker: "agent-1" }, id);
  await workers.setState(id, "draining");
  expect(seen.at(-1)?.machines).toMatchObject([
    {
      ...{ name: "box", state: "draining", contact: "connected", problem: "other version" },
      places: [{ repository: "/r", run: "run", worker: "agent-1", epoch: 1 }],
    },
  ]);
  await workers.setState(id, "active");
  await workers.remove([id]);
  expect(seen.at(-1)?.machines).toEqual([]);
  await expect(workers.setState(id, "active")).rejects.toThrow(Refusal);
});

test("a host whose port another one has shows the workers as that one's", async () => {
  another().machines.invite();
  const workers = createHostWorkers(
    folder,
    () => Promise.reject(Object.assign(new Error("in use"), { code: "EADDRINUSE" })),
    () => undefined,
  );
  onTestFinished(() => workers.close());
  await eventually(() => expect(workers.view().isServedElsewhere).toBe(true));
});

test.runIf(hasPostgres())(
  "the second host of one state folder stays out of a pool, whatever its port is, until the first ends",
  {
    tags: ["long"],
  },
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.remove());
    vi.stubEnv("HOX_POOL", server.address);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { workers: first, close } = open();
    await first.invite(null);
    const hosts = async (): Promise<number | null> => {
      const client = new pg.Client({ connectionString: server.address });
      await client.connect();
      try {
        return (await client.query("SELECT 1 FROM hox.host")).rowCount;
      } finally {
        await client.end();
      }
    };
    await eventually(async () => expect(await hosts()).toBe(1));
    expect(first.view()).toMatchObject({ isServedElsewhere: false, pool: { problem: null } });
    const second = open().workers;
    await eventually(() => expect(second.view().pool).toMatchObject({ problem: null }));
    expect(second.view().isServedElsewhere).toBe(true);
    await close();
    await eventually(() => expect(second.view().isServedElsewhere).toBe(false));
  },
);

test("a pool whose database does not answer is shown with what to do, and without the password", async () => {
  vi.stubEnv("HOX_POOL", "postgres://hox:secret@127.0.0.1:1/hox");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { workers } = open();
  await eventually(() => expect(workers.view().pool?.problem).toBeTruthy());
  const { pool } = workers.view();
  expect(pool?.name).toBe("127.0.0.1");
  expect(pool?.problem?.message).toContain("cannot be reached");
  expect(pool?.problem?.remedy).toContain("HOX_POOL");
  expect(JSON.stringify(pool)).not.toContain("secret");
  await expect(workers.invite(null)).rejects.toThrow("cannot be reached");
});

test("an address that is none is not repeated", async () => {
  vi.stubEnv("HOX_POOL", "postgres://hox:secret@db:port/hox");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { workers } = open();
  const refused = await workers.invite(null).catch((error: Error) => error);
  const message = "HOX_POOL is no address of a Postgres database.";
  expect(refused).toMatchObject({ message });
  await eventually(() => expect(workers.view().pool).toMatchObject({ problem: { message } }));
});
