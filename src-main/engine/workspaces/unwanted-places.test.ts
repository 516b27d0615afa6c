/** Nothing keeps running or stays on a worker that no run wants: it was away when the run ended. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFixture, over } from "../testing/run-fixture.ts";
import { stubbornScript } from "../testing/stubborn-script.ts";
import { openWorkerMachines } from "../testing/worker-machines.ts";

/** A number that no other process of the machine sleeps for. */
const seconds = `9${process.pid}`;
const isCommandRunning = (): boolean =>
  execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" })
    .split("\n")
    .some((args) => args.trim() === `sleep ${seconds}`);

const placesIn = ({ folder }: { readonly folder: string }): readonly string[] => {
  const places = join(folder, "places");
  return existsSync(places) ? readdirSync(places) : [];
};

/** A worker on which the command of an agent waits. */
async function startWaiting() {
  const machines = await openWorkerMachines();
  onTestFinished(() => machines.close());
  const box = await machines.start("box");
  const fixture = await createFixture({
    places: machines.connected,
    script: stubbornScript("Write a file", [{ run: [`sleep ${seconds}`, "true"] }, { write: "src/a.txt" }]),
    workflow: "auto",
  });
  await fixture.start({ goal: "Write a file", quick: true, on: "test" });
  await machines.until("the command runs", isCommandRunning);
  expect(placesIn(box)).toHaveLength(1);
  return { machines, box, fixture };
}

test("a worker that does not answer while its run is stopped ends the command and removes the place", {
  tags: ["long"],
}, async () => {
  const { machines, box, fixture } = await startWaiting();
  box.child.kill("SIGSTOP");
  await fixture.execute("run.stop");
  expect((await fixture.until(({ endedAt }) => endedAt !== null)).endedBy).toBe("user");
  await machines.until("no run wants the place", () => machines.places.held().length === 0);
  expect(isCommandRunning()).toBe(true);
  box.child.kill("SIGCONT");
  await machines.until("the command has ended", () => !isCommandRunning());
  await machines.until("the place is removed", () => placesIn(box).length === 0);
});

test("a worker that was killed, and starts again after its run has ended, removes the place", {
  tags: ["long"],
}, async () => {
  const { machines, box, fixture } = await startWaiting();
  box.child.kill("SIGKILL");
  await machines.until("the command has ended", () => !isCommandRunning());
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
  expect(placesIn(box)).toHaveLength(1);
  await machines.start("box", box);
  await machines.until("the place is removed", () => placesIn(box).length === 0);
});
