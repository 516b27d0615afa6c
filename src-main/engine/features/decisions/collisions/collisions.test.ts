import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Seen } from "../../../../model/stand-in/script.ts";
import { bothLines, collidingAgents, letsSecondWait } from "../../../testing/colliding-script.ts";
import { config, merged, show, worker } from "../../../testing/merge-request-script.ts";
import { createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";

const untilReleased = "while [ ! -e go ]; do sleep 0.1; done; rm go";

const release = async (run: RunView, name: string): Promise<void> => {
  const file = join(worker(run, name).workspace ?? "", "go");
  await writeFile(file, "");
  // Taken away by its command: written again for one that was begun anew.
  for (let left = 600; left > 0; left--) {
    if (
      !(await access(file).then(
        () => true,
        () => false,
      ))
    )
      return;
    await pause(50);
  }
};

const questions = (fixture: Fixture): readonly Seen[] =>
  fixture.standIn
    .requests()
    .map(({ seen }) => seen)
    .filter(({ prompt, turn }) => prompt.startsWith("[EVENT conflict forecast]") && turn === 0);

const notes = (fixture: Fixture, name: string): number =>
  fixture.standIn
    .requests()
    .filter(({ seen, body }) => seen.role === name && JSON.stringify(body).includes("[NOTE] Hox forecasts"))
    .length;

test("an orchestrator lets one agent wait until the other's work is merged, across a restart, and is asked once", async () => {
  const fixture = await createFixture({
    script: collidingAgents(untilReleased, [letsSecondWait]),
  });
  await fixture.start();
  const ordered = await fixture.until((run) => run.collisions.some(({ order }) => order !== null));
  expect(ordered.collisions).toMatchObject([
    {
      ...{ a: "agent-1", b: "agent-2", files: ["src/one.txt"], orderedBy: "O-A-1" },
      order: { kind: "wait", worker: "agent-2", for: "agent-1", ended: null },
    },
  ]);
  const [question] = questions(fixture);
  expect(question?.prompt).toContain("- agent-1 and agent-2: src/one.txt, line 1");
  await release(ordered, "agent-2");
  const waiting = await fixture.until((run) =>
    worker(run, "agent-2").activity.startsWith("waiting for agent-1"),
  );
  expect(worker(waiting, "agent-2").activity).toBe("waiting for agent-1 to finish src/one.txt");

  await fixture.reopen();
  const again = await fixture.until((run) =>
    worker(run, "agent-2").activity.startsWith("waiting for agent-1"),
  );
  await release(again, "agent-1");
  const first = await fixture.until(merged("agent-1"));
  expect(first.collisions).toHaveLength(1);
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(run.collisions).toMatchObject([{ order: { kind: "wait", ended: "merged" } }]);
  expect(await show(fixture, "main", "src/one.txt")).toBe(bothLines.trim());
  expect(questions(fixture)).toHaveLength(1);
  expect(fixture.standIn.unmatched()).toEqual([]);
});

test("an orchestrator lets both continue: each is told once in the middle of its turn", async () => {
  const fixture = await createFixture({ script: collidingAgents(untilReleased) });
  await fixture.start();
  const ordered = await fixture.until((run) => run.collisions.some(({ order }) => order !== null));
  for (const name of ["agent-1", "agent-2"]) await release(ordered, name);
  const all = await fixture.until((run) => Object.keys(run.collisions[0]?.reported ?? {}).length === 2);
  expect(all.collisions).toMatchObject([
    { order: { kind: "continue" }, reported: { "agent-1": 1, "agent-2": 1 } },
  ]);
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(questions(fixture)).toHaveLength(1);
  expect(notes(fixture, "agent-1")).toBeGreaterThan(0);
  expect(fixture.standIn.unmatched()).toEqual([]);
});

test("by the settings the later agent waits, and resumes when the other is paused", async () => {
  const fixture = await createFixture({
    script: collidingAgents(untilReleased),
    files: config('[radar]\non_collision = "wait"\n'),
  });
  await fixture.start();
  const ordered = await fixture.until((run) => run.collisions.some(({ order }) => order !== null));
  expect(ordered.collisions).toMatchObject([
    // The first task of the plan has the higher priority.
    { orderedBy: "hox", order: { kind: "wait", worker: "agent-2", for: "agent-1" } },
  ]);
  await release(ordered, "agent-2");
  await fixture.until((run) => worker(run, "agent-2").activity.startsWith("waiting for agent-1"));
  await fixture.execute("run.pauseWorker", { worker: "agent-1" });
  const after = await fixture.until(
    (run) => run.collisions[0]?.order?.kind === "wait" && run.collisions[0].order.ended !== null,
  );
  expect(after.collisions).toMatchObject([{ order: { ended: "stopped" } }]);
  await fixture.until((run) => worker(run, "agent-2").mergeRequest !== null);
  expect(questions(fixture)).toHaveLength(0);
});
