import { expect, onTestFinished, test } from "vitest";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { openWorkerMachines, quickTimes } from "../testing/worker-machines.ts";

async function openMachines() {
  const machines = await openWorkerMachines(quickTimes);
  onTestFinished(() => machines.close());
  return machines;
}

const noticesOf = ({ events }: Fixture, worker: string): readonly string[] =>
  events.flatMap((event) =>
    event.kind === "conversation" && event.worker === worker
      ? event.rows.flatMap((row) => (row.kind === "notice" ? [row.text] : []))
      : [],
  );

test("three agents on a worker come to the same result as on the host", { tags: ["long"] }, async () => {
  const machines = await openMachines();
  await machines.start("box");
  const fixture = await createFixture({ places: machines.pool });
  await fixture.start({ on: "test" });
  const run = await fixture.until(over);
  expect(run.failure).toBeNull();
  expect(run.stage).toBe("complete");
  const landed = (path: string) => fixture.repo.terminal(["file", "show", "-r", "main", path]);
  expect(await landed("src/contract.txt")).toBe("id: user_id # kept by the store\nname: text");
  expect(await landed("src/index.txt")).toBe("the store\nthe view");
  expect(await landed("src/api.txt")).toContain("user_id");
  expect(await fixture.repo.terminal(["log", "--no-graph", "-r", "conflicts()", "-T", "change_id"])).toBe("");
  for (const agent of ["agent-1", "agent-2", "agent-3", "integrator"])
    expect(noticesOf(fixture, agent)).toContain("Works on worker box.");
  expect(machines.places.held()).toEqual([]);
});
