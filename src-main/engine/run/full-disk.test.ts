import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mountFailingDisk, mountSmallDisk, type SmallDisk } from "../../jj/testing/small-disk.ts";
import { openJournal } from "../../journal/journal.ts";
import { runInput } from "../../journal/testing/run-input.ts";
import { eventually, tempDir } from "../../testing/kit.ts";
import { explain } from "../engine-errors.ts";
import { agreeable, createFixture, type Fixture, isJoined } from "../testing/run-fixture.ts";
import { calmAgents } from "../testing/three-agents-script.ts";

let folder: string;
let disk: SmallDisk | null = null;
let fixture: Fixture | null = null;
beforeEach(() => {
  folder = tempDir();
});
afterEach(async () => {
  disk?.makeRoom();
  await fixture?.remove();
  fixture = null;
  vi.unstubAllEnvs();
  disk?.remove();
  disk = null;
});

/** Skips where a disk cannot be mounted, as for who is not root. */
function mounted(context: { skip(when: boolean, why: string): void }, mount: () => SmallDisk): SmallDisk {
  try {
    disk = mount();
    return disk;
  } catch (error) {
    context.skip(true, `not run, no such disk can be mounted here: ${(error as Error).message}`);
    throw error;
  }
}
const failuresOf = (one: Fixture): string =>
  JSON.stringify([
    one.events.filter(({ kind }) => kind === "notice"),
    one.engine.state().inbox.filter(({ kind }) => kind === "trouble"),
  ]);

test("a disk that fills up while agents work stops them with a remedy, and with room the run resumes", {
  tags: ["long"],
}, async (context) => {
  const small = mounted(context, () => mountSmallDisk(join(folder, "disk"), 48));
  vi.stubEnv("TMPDIR", small.folder);
  fixture = await createFixture({ script: calmAgents });
  const one = fixture;
  one.answers = { ...agreeable, trouble: () => null };
  const release = one.standIn.hold((seen) => seen.role === "agent-1" && seen.turns >= 2);
  await one.start();
  const before = await one.until((run) => run.workers.some((w) => w.name === "agent-1" && w.toolCalls >= 2));
  small.fill();
  release();
  await eventually(() => expect(failuresOf(one)).toMatch(/No space left|database or disk is full|ENOSPC/iu));
  expect(failuresOf(one)).toMatch(/Free disk space/u);
  small.makeRoom();
  one.answers = { ...agreeable, trouble: () => ({ kind: "retry" }) };
  await one.reopen();
  const after = await one.until(isJoined);
  expect(after.failure).toBeNull();
  expect(after.budget.spent.microDollars).toBeGreaterThanOrEqual(before.budget.spent.microDollars);
  const joined = (path: string) => one.repo.terminal(["file", "show", "-r", after.integration ?? "", path]);
  expect(await joined("src/index.txt")).toBe("the store\nthe view");
  expect(await joined("src/api.txt")).toBe("GET /users/:userId");
});

test("a failing disk keeps all that the journal has confirmed, and is reported as such", (context) => {
  const failing = mounted(context, () => mountFailingDisk(folder));
  const path = join(failing.folder, "journal.sqlite");
  const journal = openJournal(path, () => 1);
  journal.addRun("r", runInput);
  let kept = 0;
  const write = () => {
    journal.together(() => {
      journal.addEvent("r", { kind: "TroubleAnswered", of: `half/${kept} ${"x".repeat(20_000)}` });
      journal.setStep("r", `step/${kept}`, kept);
    });
    kept++;
  };
  write();
  failing.fill();
  let failure: unknown = null;
  try {
    while (kept < 1_000) write();
  } catch (error) {
    failure = error;
  } finally {
    journal.close();
  }
  expect(explain(failure)).toMatchObject({
    message: expect.stringMatching(/I\/O error/iu),
    remedy: expect.stringMatching(/disk/u),
  });
  failing.makeRoom();
  const again = openJournal(path, () => 2);
  try {
    const events = again.events("r").length;
    const whole = again.quarantine === null && !again.hasLostEnd;
    if (whole) expect(events).toBeGreaterThanOrEqual(kept);
    // Never more than was tried, and each with all that was written with it.
    expect(events).toBeLessThanOrEqual(kept + 1);
    for (let step = 0; step < events; step++)
      expect(again.step("r", `step/${step}`)).toEqual({ result: step });
  } finally {
    again.close();
  }
});
