/** What a kill leaves behind: of the database, and of a host at each step of a place. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { PlaceRow } from "../places-interface.ts";
import { type PoolHost, quickLeases, startHost } from "../testing/pool-hosts.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import type { Step } from "./hold-place.ts";
import { openPool } from "./pool-database.ts";

const tree = "f".repeat(40);
const steps: readonly Step[] = ["enqueued", "claimed", "recorded", "told", "granted", "freed"];

describe.runIf(hasPostgres())("after a kill", { tags: ["long"] }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());
  let pools = 0;

  /** A machine of one place in a pool that no earlier test has used. */
  async function enrol(name: string): Promise<string> {
    const database = openPool({ address: server.address, host: "test", hostName: "test" });
    const { machines } = database;
    for (const one of await machines.all()) await machines.remove(one.id);
    const enrolled = await machines.enrol(await machines.invite(), name);
    await database.close();
    return enrolled?.id ?? "";
  }
  const join = async (
    name: string,
    box: string,
    options: Parameters<typeof startHost>[2] = {},
  ): Promise<PoolHost> => {
    const host = startHost(server.address, name, { ...options, label: `test ${pools}` });
    onTestFinished(() => host.kill());
    await host.join();
    await host.hear(box, 1);
    return host;
  };
  const names = (): readonly [string, string] => {
    pools += 1;
    return [`a${pools}`, `b${pools}`];
  };

  test.each(steps)("of a host that was %s, it comes back to the same place, held once", async (step) => {
    const [name, other] = names();
    const box = await enrol("box");
    // Alone, so that it also runs the entry itself.
    const dying = await join(name, box, { diesAt: step });
    const asked = dying.claim("agent-1").catch(() => null);
    if (step === "freed") {
      await asked;
      await dying.release("agent-1").catch(() => null);
    }
    await dying.died;
    const [a, b] = [await join(name, box), await join(other, box)];
    // As a host does at its start: what it still holds is its own, for the rest it asks.
    const [held] = await a.held();
    const row = held ?? (await a.claim("agent-1"));
    expect(row).toMatchObject({ machine: box, epoch: step === "freed" ? 3 : 1 });
    expect([...(await a.held()), ...(await b.held())]).toHaveLength(1);
    await a.release("agent-1");
    // No entry is left in the queue that has the only place of the machine.
    expect(await b.claim("agent-2")).toMatchObject({ machine: box });
    await b.release("agent-2");
    expect(await a.claim("agent-1")).toMatchObject({ machine: box });
  });

  test.each(steps.slice(0, 5))(
    "of a host that was %s, for ever, another one gets its place",
    async (step) => {
      const [name, other] = names();
      const box = await enrol("box");
      const dying = await join(name, box, { diesAt: step, times: quickLeases });
      const lost = dying.claim("agent-1").catch(() => null);
      await dying.died;
      await lost;
      const b = await join(other, box, { times: quickLeases });
      const row = await b.claim("agent-2");
      expect(row).toMatchObject({ machine: box, epoch: 1 });
      expect(await b.accept(row as PlaceRow, tree)).toBeNull();
    },
  );

  test.each(steps.slice(1, 4))(
    "of a host that was %s for another one, that one has its place",
    async (step) => {
      const [name, other] = names();
      const box = await enrol("box");
      const a = await join(name, box, { times: quickLeases });
      const dying = startHost(server.address, other, { diesAt: step, times: quickLeases });
      onTestFinished(() => dying.kill());
      await dying.join();
      let isDead = false;
      void dying.died.then(() => {
        isDead = true;
      });
      // Whichever of them looks first runs the entry.
      for (let epoch = 1; !isDead; epoch += 2) {
        expect(await a.claim("agent-1")).toMatchObject({ machine: box, epoch });
        expect(await a.held()).toHaveLength(1);
        await a.release("agent-1");
      }
      expect(await a.claim("agent-1")).toMatchObject({ machine: box });
    },
  );

  test("what a host sends that was stopped past its leases is refused", async () => {
    const [name, other] = names();
    const box = await enrol("box");
    const a = await join(name, box, { times: quickLeases });
    const b = await join(other, box, { times: quickLeases });
    const row = (await a.claim("agent-1")) as PlaceRow;
    expect(await a.accept(row, tree)).toBeNull();
    a.signal("SIGSTOP");
    expect(await b.claim("agent-2")).toMatchObject({ machine: box });
    a.signal("SIGCONT");
    expect(await a.accept(row, "e".repeat(40))).toContain("epoch 2, this is of epoch 1");
    expect(await a.of("agent-1")).toMatchObject({ epoch: 2, machine: null, tree });
    expect(await a.held()).toEqual([]);
  });

  test("of the database, hosts keep their places, and get new ones when it is back", async () => {
    const [name, other] = names();
    const box = await enrol("box");
    const a = await join(name, box);
    const b = await join(other, box);
    const row = (await a.claim("agent-1")) as PlaceRow;
    const waiting = b.claim("agent-2");
    await server.kill();
    await expect(b.held()).rejects.toThrow("The pool of workers on this machine cannot be reached");
    const accepted = a.accept(row, tree);
    await server.start();
    expect(await accepted).toBeNull();
    expect(await a.held()).toMatchObject([{ id: row.id, epoch: 1 }]);
    await a.release("agent-1");
    expect(await waiting).toMatchObject({ machine: box, epoch: 1 });
    expect([...(await a.held()), ...(await b.held())]).toHaveLength(1);
  });

  test.each(steps)("of the database when a place was %s, it comes back with the same place", async (step) => {
    const [name, other] = names();
    const box = await enrol("box");
    const a = await join(name, box, { diesAt: step, victims: server.group() });
    const ended = server.ended();
    const asked = a.claim("agent-1");
    const released = step === "freed" ? asked.then(() => a.release("agent-1")) : null;
    await ended;
    await server.start();
    expect(await asked).toMatchObject({ machine: box, epoch: 1 });
    await released;
    const b = await join(other, box);
    expect(await a.held()).toHaveLength(released ? 0 : 1);
    await a.release("agent-1");
    expect(await b.claim("agent-2")).toMatchObject({ machine: box, epoch: 1 });
  });

  test("of the database before it says which entry a host has taken, the entry is taken again", async () => {
    const [name] = names();
    const box = await enrol("box");
    const a = await join(name, box, { maxWaitMs: 15_000 });
    await a.claim("agent-0");
    const waiting = a.claim("agent-1");
    const client = new pg.Client({ connectionString: server.address });
    await client.connect();
    // As the queue writes it, whose answer the host never gets.
    const taken = `UPDATE hox_queue.workflow_status SET status = 'PENDING', executor_id = $1, owner_xid = 'lost'
      WHERE status = 'ENQUEUED' AND queue_name = $2`;
    await vi.waitFor(
      async () => expect((await client.query(taken, [name, `label test ${pools}`])).rowCount).toBe(1),
      10_000,
    );
    await client.end();
    await a.release("agent-0");
    expect(await waiting).toMatchObject({ machine: box, epoch: 1 });
  });

  test("of the database while places are granted, none is held twice and none is lost", async () => {
    const [name, other] = names();
    const box = await enrol("box");
    const hosts = [await join(name, box), await join(other, box)];
    for (let round = 0; round < 4; round++) {
      const asked = hosts.map((host, at) => host.claim(`agent-${at}`));
      await new Promise((resolve) => setTimeout(resolve, round * 60));
      await server.kill();
      await server.start();
      const holder = await Promise.race(asked.map((one, at) => one.then((row) => ({ row, at }))));
      expect(holder.row).toMatchObject({ machine: box });
      const held = await Promise.all(hosts.map((host) => host.held()));
      expect(held.flat().length).toBeLessThanOrEqual(1);
      await hosts[holder.at]?.release(`agent-${holder.at}`);
      expect(await asked[1 - holder.at]).toMatchObject({ machine: box });
      await hosts[1 - holder.at]?.release(`agent-${1 - holder.at}`);
    }
  });
});
