import pg from "pg";
import { machineProtocol } from "../src-main/places/machine-contract.ts";
import { openPool } from "../src-main/places/pool/pool-database.ts";
import { hasPostgres, startPostgres } from "../src-main/places/testing/postgres-server.ts";
import { expect, test } from "./test.ts";

test("a pool shows what other hosts hold, and what to do while its database does not answer", {
  tag: "@long",
}, async ({ start, playground, scene, accessible }) => {
  test.skip(!hasPostgres(), "there is no Postgres");
  const server = await startPostgres();
  const other = openPool({ address: server.address, host: "other", hostName: "build-host" });
  try {
    const { machines } = other;
    const { id } = (await machines.enrol(await machines.invite(), "box")) ?? { id: "" };
    const isolation = { kind: "bubblewrap", summary: "bubblewrap" };
    await machines.heard(id, { labels: ["linux-x64"], capacity: 4, protocol: machineProtocol, isolation });
    const client = new pg.Client({ connectionString: server.address });
    await client.connect();
    await client.query("INSERT INTO hox.host VALUES ('other', 'build-host', 4102444800000)");
    await client.query(
      "INSERT INTO hox.place VALUES ('p', 'other', '/r', 'run', 'agent-1', 1, $1, 4102444800000, NULL, 0)",
      [id],
    );
    await client.end();
    playground.environment.HOX_POOL = server.address;
    const { app } = await start({
      folder: await playground.filledRepository("project", { "readme.md": "store\n" }),
    });
    const { page } = app;
    await app.graph.shown();
    await page.keyboard.press("Alt+6");
    const workers = page.getByRole("region", { name: "box", exact: true });
    await expect(workers).toContainText("1 agent of build-host");
    await expect(page.getByText("1 worker · 1 of 4 places in use · pool on this machine")).toBeVisible();
    await scene("227-pool-light");
    await server.kill();
    const note = page.getByRole("note").filter({ hasText: "cannot be reached" });
    await expect(note).toContainText("new agents work on this machine");
    await accessible("a pool that cannot be reached");
    await scene("228-pool-unreachable-light");
    await server.start();
    await expect(note).toBeHidden();
  } finally {
    await other.close();
    await server.remove();
  }
});
