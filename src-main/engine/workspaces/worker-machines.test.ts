import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { LeaseTimes } from "#shared/domain/places/lease.ts";
import { expectCountedOnce } from "../testing/counted-once.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { type StubbornCall, stubbornScript } from "../testing/stubborn-script.ts";
import { openWorkerMachines, quickTimes } from "../testing/worker-machines.ts";

/** @param times default: those of users, so that no slow machine is taken for one that is gone */
async function openMachines(times?: LeaseTimes) {
  const machines = await openWorkerMachines(times);
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
  const fixture = await createFixture({ places: machines.connected });
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

/** A quick run on workers, whose agent comes to a command that waits in its middle. */
async function startStubborn(machines: Awaited<ReturnType<typeof openMachines>>, run: readonly string[]) {
  const calls: readonly StubbornCall[] = [{ write: "src/a.txt" }, { run }, { write: "src/b.txt" }];
  const fixture = await createFixture({
    places: machines.connected,
    script: stubbornScript("Write two files", calls),
    workflow: "auto",
  });
  await fixture.start({ goal: "Write two files", quick: true, on: "test" });
  return fixture;
}

/** Whether a machine has this file in one of its places. */
const hasFile = (machine: { readonly folder: string }, path: string): boolean => {
  const places = join(machine.folder, "places");
  return (
    existsSync(places) && readdirSync(places).some((place) => existsSync(join(places, place, "files", path)))
  );
};

test("a killed worker's agent continues elsewhere from what was brought last, and is told what is lost", {
  tags: ["long"],
}, async () => {
  const machines = await openMachines();
  const box = await machines.start("box");
  const long = "touch src/began; sleep 60";
  const fixture = await startStubborn(machines, [long, long, "true"]);
  await machines.until("the command runs", () => hasFile(box, "src/began"));
  const other = await machines.start("other");
  box.child.kill("SIGKILL");
  await machines.until("the command runs again", () => hasFile(other, "src/began"));
  other.child.kill("SIGKILL");
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  const landed = await fixture.repo.terminal(["file", "list", "-r", "main"]);
  expect(landed).toContain("src/a.txt");
  expect(landed).toContain("src/b.txt");
  const [, first, second] = noticesOf(fixture, "agent-1").filter((text) =>
    /^W(?:orks on w)?orker/u.test(text),
  );
  expect(first).toContain(
    "Worker box, where your files were, is gone. Your files are as of write of src/a.txt",
  );
  expect(first).toContain("you work on worker other now");
  expect(second).toContain("Worker other, where your files were, is gone.");
  expect(second).toContain("on the host");
});

test("a worker that is stopped past its lease is fenced off: what it wrote meanwhile counts nowhere", {
  tags: ["long"],
}, async () => {
  const machines = await openMachines(quickTimes);
  const box = await machines.start("box");
  const fixture = await startStubborn(machines, ["touch src/began; sleep 7; touch src/zombie.txt", "true"]);
  await machines.until("the command runs", () => hasFile(box, "src/began"));
  const [place] = machines.places.held();
  box.child.kill("SIGSTOP");
  await machines.until("the host has the place", () => machines.places.held().length === 0);
  await machines.until("the command has written", () => hasFile(box, "src/zombie.txt"));
  box.child.kill("SIGCONT");
  await machines.until("the worker has removed its place", () => !hasFile(box, "src/zombie.txt"));
  expect(
    machines.places.acceptTree(place?.id ?? "", { machine: box.id, epoch: 1 }, "f".repeat(40)),
  ).toContain("granted again");
  expect(box.printed()).toContain("are frozen");
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(await fixture.repo.terminal(["file", "list", "-r", "main"])).not.toContain("zombie");
  expectCountedOnce(fixture);
});

test("an agent continues in its place after a restart of the host, and elsewhere once the worker is removed", {
  tags: ["long"],
}, async () => {
  const machines = await openMachines();
  const box = await machines.start("box");
  // The restart repeats the call that it interrupts.
  const long = "test -e src/began && touch src/again; touch src/began; sleep 60";
  const fixture = await startStubborn(machines, [long, "true"]);
  await machines.until("the command runs", () => hasFile(box, "src/began"));
  await fixture.reopen();
  await machines.until("the command runs again", () => hasFile(box, "src/again"));
  expect(machines.places.held()).toMatchObject([{ worker: "agent-1", machine: box.id, epoch: 1 }]);
  machines.machines.remove(box.id);
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
  expect(noticesOf(fixture, "agent-1").join()).toContain("Worker box, where your files were, is gone.");
  const landed = await fixture.repo.terminal(["file", "list", "-r", "main"]);
  expect(landed).toContain("src/a.txt");
  expect(landed).toContain("src/b.txt");
});

test("an agent whose link leads out of the workspace is told, and continues without it", {
  tags: ["long"],
}, async () => {
  const machines = await openMachines();
  await machines.start("box");
  const fixture = await startStubborn(machines, ["ln -s /etc/passwd src/out", "true"]);
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
  const told = noticesOf(fixture, "agent-1").join("\n");
  expect(told).toContain("Files of worker box were refused: the link src/out leads out of the workspace.");
  expect(told).toContain("Lost, in this order: `ln -s /etc/passwd src/out`");
  expect(machines.machines.all()).toMatchObject([{ state: "active" }]);
  const landed = await fixture.repo.terminal(["file", "list", "-r", "main"]);
  expect(landed).toContain("src/b.txt");
  expect(landed).not.toContain("src/out");
});
