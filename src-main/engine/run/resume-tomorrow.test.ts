import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { worker } from "../testing/read-run.ts";
import { agreeable, createFixture, type Fixture } from "../testing/run-fixture.ts";
import { neverDone, patientFiles, threeAgents } from "../testing/three-agents-script.ts";

/** ms by which the clock is ahead. */
let jump = 0;
const busyRun = async (): Promise<Fixture> => {
  jump = 0;
  const one = await createFixture({
    now: () => Date.now() + jump,
    files: patientFiles,
    script: { ...threeAgents, routes: { ...threeAgents.routes, "agent-3": neverDone } },
  });
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  await one.until((run) => (worker(run, "agent-3")?.iteration ?? 0) >= 1);
  return one;
};

test("a paused run stays paused over a restart; a workspace forgotten by hand is kept, not deleted", {
  tags: ["long"],
}, async () => {
  const one = await busyRun();
  await one.execute("run.pause");
  const paused = await one.until((run) => run.paused === "paused");
  const folder = worker(paused, "agent-3")?.workspace ?? "";
  const asked = one.standIn.requests().length;
  await one.reopen(async () => {
    await one.repo.terminal(["workspace", "forget", "agent-3"]);
    await writeFile(join(folder, "only-here.txt"), "nowhere else\n");
  });
  expect(one.engine.state().run?.paused).toBe("paused");
  expect(one.standIn.requests()).toHaveLength(asked);
  await one.execute("run.resume");
  await one.until(() =>
    one.events.some((event) => event.kind === "notice" && event.text.includes("was kept as")),
  );
  const kept = (await readdir(dirname(folder))).find((name) => name.startsWith(`${basename(folder)} kept `));
  expect(await readFile(join(dirname(folder), kept ?? "", "only-here.txt"), "utf8")).toBe("nowhere else\n");
  // The agent has a workspace again, with what its change holds.
  const count = one.standIn.requests().length;
  await one.until(() => one.standIn.requests().length > count);
});

test("a night without a host is a break of the run, and an immediate restart is not", async () => {
  const hours = 10 * 3_600_000;
  const one = await busyRun();
  const left = Date.now();
  await one.reopen(async () => {
    jump = hours;
  });
  const night = one.engine.state().timeline?.breaks.find(({ why }) => why === "away");
  expect(night?.to).toBeGreaterThanOrEqual(left + hours);
  // It ended when the host was back, whatever happened after.
  expect(night?.to).toBeLessThan(left + hours + 60_000);
  expect(Math.abs((night?.from ?? 0) - left)).toBeLessThan(60_000);
  const count = one.standIn.requests().length;
  await one.until(() => one.standIn.requests().length > count);
  await one.reopen();
  const again = one.engine.state().timeline?.breaks.filter(({ why }) => why === "away");
  expect(again).toEqual([night]);
}, 300_000);

test("a stopped run leaves no sign of active work", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const one = await busyRun();
  await one.execute("run.stop");
  const statuses = await one.repo.terminal([
    "log",
    "--no-graph",
    "-r",
    'description(regex:"(?m)^Hox-Status: in_progress$")',
    "-T",
    "change_id",
  ]);
  expect(statuses).toBe("");
  const changeId = worker(one.engine.state().run, "agent-3")?.changeId ?? "";
  const description = await one.repo.terminal(["log", "--no-graph", "-r", changeId, "-T", "description"]);
  expect(description).toContain("Hox-Status: open");
});
