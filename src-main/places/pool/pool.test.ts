import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type PoolHost, startHost } from "../testing/pool-hosts.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { openPool } from "./pool-database.ts";

const tree = "f".repeat(40);

describe.runIf(hasPostgres())("a pool of two hosts", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  test("it grants no more places than machines have, those of a higher priority first", async () => {
    const hosts = [start("a"), start("b")];
    const database = openPool({ address: server.address, host: "c", hostName: "c" });
    onTestFinished(async () => void (await database.close()));
    const { machines } = database;
    const invitation = await machines.invite();
    expect(await machines.isInvited(invitation)).toBe(true);
    const enrolled = await machines.enrol(invitation, "box");
    expect(await machines.isInvited(invitation)).toBe(false);
    const [box, key] = [enrolled?.id ?? "", enrolled?.key ?? ""];
    expect(await machines.authenticate(box, key)).toMatchObject({ name: "box", about: null });
    expect(await machines.authenticate(box, `${key}x`)).toBeNull();
    for (const host of hosts) {
      await host.join();
      await host.hear(box, 2);
    }
    const [a, b] = hosts as [PoolHost, PoolHost];
    const first = await a.claim("a1");
    expect(await b.claim("b1")).toMatchObject({ machine: box, epoch: 1 });
    expect(await database.pool?.heldElsewhere()).toEqual([
      { machine: box, host: "a", held: 1 },
      { machine: box, host: "b", held: 1 },
    ]);
    const served: string[] = [];
    const wait = (host: PoolHost, worker: string, priority: number) =>
      host.claim(worker, priority).then(async (row) => {
        served.push(worker);
        return row;
      });
    const waits = [wait(a, "low", 3), wait(b, "medium", 2), wait(a, "critical", 0), wait(b, "high", 1)];
    const client = new pg.Client({ connectionString: server.address });
    await client.connect();
    const queued = "SELECT 1 FROM hox_queue.workflow_status WHERE status = 'ENQUEUED'";
    await vi.waitFor(async () => expect((await client.query(queued)).rowCount).toBe(4), 30_000);
    await client.end();
    expect(served).toEqual([]);
    await a.release("a1");
    await waits[2];
    await b.release("b1");
    await waits[3];
    await a.release("critical");
    await waits[1];
    await b.release("high");
    await waits[0];
    expect(served).toEqual(["critical", "high", "medium", "low"]);
    expect([...(await a.held()), ...(await b.held())]).toHaveLength(2);
    expect(await a.accept(first as never, tree)).toContain("granted again");
    // What a drained machine holds takes nothing from what the others have.
    const other = (await machines.enrol(await machines.invite(), "other"))?.id ?? "";
    for (const host of hosts) await host.hear(other, 1);
    await machines.setState(box, "draining");
    expect(await a.claim("a2")).toMatchObject({ machine: other });
    await machines.remove(box);
    expect(await machines.authenticate(box, key)).toBeNull();
  });

  function start(name: string): PoolHost {
    const host = startHost(server.address, name);
    onTestFinished(() => host.kill());
    return host;
  }
});
