import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { leaseTimes } from "#shared/domain/places/lease.ts";
import { openPool } from "../../places/pool/pool-database.ts";
import { hasPostgres, startPostgres } from "../../places/testing/postgres-server.ts";
import { createFixture, over } from "../testing/run-fixture.ts";
import { stubbornScript } from "../testing/stubborn-script.ts";
import { openMachinesOf } from "../testing/worker-machines.ts";

test.runIf(hasPostgres())(
  "an agent works on a worker of a pool, also while its database is gone",
  {
    tags: ["long"],
  },
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.remove());
    const machines = await openMachinesOf(leaseTimes, () =>
      openPool({ address: server.address, host: "a", hostName: "a" }),
    );
    onTestFinished(() => machines.close());
    const box = await machines.start("box");
    const waits = "touch src/began; while ! test -e src/go; do sleep 0.1; done";
    const script = stubbornScript("Write two files", [
      { write: "src/a.txt" },
      { run: [waits, "true"] },
      { write: "src/b.txt" },
    ]);
    const fixture = await createFixture({ places: machines.connected, script, workflow: "auto" });
    await fixture.start({ goal: "Write two files", quick: true, on: "test" });
    const places = join(box.folder, "places");
    const filesIn = () =>
      existsSync(places) ? readdirSync(places).map((place) => join(places, place, "files", "src")) : [];
    await machines.until("the command runs", () =>
      filesIn().some((files) => existsSync(join(files, "began"))),
    );
    expect(await machines.places.held()).toMatchObject([{ worker: "agent-1", machine: box.id, epoch: 1 }]);
    await server.kill();
    for (const files of filesIn()) writeFileSync(join(files, "go"), "");
    await server.start();
    expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
    const landed = await fixture.repo.terminal(["file", "list", "-r", "main"]);
    expect(landed).toContain("src/a.txt");
    expect(landed).toContain("src/b.txt");
    await machines.until("the place is free", async () => (await machines.places.held()).length === 0);
  },
);
