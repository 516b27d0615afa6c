/** A worker and its host that hear each other one way only: the worker ends its work before the host gives it to another one. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { LeaseTimes } from "#shared/domain/places/lease.ts";
import { expectCountedOnce } from "../testing/counted-once.ts";
import { type LossyNetwork, openLossyNetwork } from "../testing/lossy-network.ts";
import { createFixture, over } from "../testing/run-fixture.ts";
import { stubbornScript } from "../testing/stubborn-script.ts";
import { openWorkerMachines } from "../testing/worker-machines.ts";

/** As users have them, but four times as fast. */
const times: LeaseTimes = { heartbeatMs: 1_250, suspectMs: 3_750, goneMs: 11_250, marginMs: 2_500 };

/** Writes down the time for as long as it runs. */
const ticks = "while :; do date +%s%N >> src/ticks; sleep 0.05; done";

async function openNetwork(context: { skip(condition: boolean, note: string): void }): Promise<LossyNetwork> {
  try {
    return await openLossyNetwork();
  } catch (error) {
    context.skip(true, `not run, no network can be made here: ${(error as Error).message}`);
    throw error;
  }
}

/** Times that a command noted in a place of a machine. */
function ticksIn({ folder }: { readonly folder: string }): readonly bigint[] {
  const places = join(folder, "places");
  return readdirSync(places).flatMap((place) =>
    readFileSync(join(places, place, "files", "src", "ticks"), "utf8")
      .trimEnd()
      .split("\n")
      .map(BigInt),
  );
}

test.for([
  ["worker does not hear its host", "worker"],
  ["host does not hear its worker", "host"],
] as const)(
  "a place whose %s is given away only after its worker has ended its commands",
  {
    tags: ["long"],
    timeout: 180_000,
  },
  async ([, lost], context) => {
    const network = await openNetwork(context);
    onTestFinished(() => network.close());
    const machines = await openWorkerMachines(times);
    onTestFinished(() => machines.close());
    const box = await machines.start("box", null, { network });
    const fixture = await createFixture({
      places: machines.connected,
      script: stubbornScript("Write two files", [
        { write: "src/a.txt" },
        { run: [ticks, "date +%s%N > src/first"] },
        { write: "src/b.txt" },
      ]),
      workflow: "auto",
    });
    await fixture.start({ goal: "Write two files", quick: true, on: "test" });
    const hasTicks = (): boolean => {
      try {
        return ticksIn(box).length > 0;
      } catch {
        return false;
      }
    };
    await machines.until("the command runs", hasTicks);
    const [before] = machines.places.held();
    const other = await machines.start("other");
    await network.lose(lost);
    await machines.until("the other worker has the place", () =>
      machines.places.held().some(({ machine }) => machine === other.id),
    );
    const run = await fixture.until(over);
    expect(run).toMatchObject({ stage: "complete", failure: null });
    expect(box.printed()).toContain("are frozen");
    // The old place is there as it was left: nothing ran in it any more when the new one began.
    const first = BigInt(await fixture.repo.terminal(["file", "show", "-r", "main", "src/first"]));
    expect(Math.max(...ticksIn(box).map(Number))).toBeLessThan(Number(first));

    await network.heal();
    await machines.until(
      "the worker has removed its place",
      () => readdirSync(join(box.folder, "places")).length === 0,
    );
    const { id = "", epoch = 0 } = before ?? {};
    expect(machines.places.acceptTree(id, { machine: box.id, epoch }, "f".repeat(40))).toContain(
      "granted again",
    );
    const landed = await fixture.repo.terminal(["file", "list", "-r", "main"]);
    expect(landed).toContain("src/a.txt");
    expect(landed).toContain("src/b.txt");
    expect(landed).not.toContain("ticks");
    expectCountedOnce(fixture);
  },
);
