import { expect, test } from "vitest";
import { changesNamed } from "../../../testing/read-run.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";

let fixture: Fixture | null = null;
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const relabelled = async (one: Fixture, change: string): Promise<string> =>
  (
    await one.repo.terminal(["log", "--ignore-working-copy", "--no-graph", "-r", change, "-T", "description"])
  ).replace("Hox-Priority: critical", "Hox-Priority: low");

test("two people write with plain jj during the run, and the queue follows the one who drags", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ pace: 3 });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  await one.until((run) => run.stage === "executing" && run.phase === 1);
  let writing = true;
  let written = 0;
  const user = async (name: string) => {
    for (let turn = 0; writing; turn++) {
      await one.repo.write(`${name}.txt`, `${turn}\n`);
      await one.repo
        .terminal(turn % 3 === 0 ? ["new", "-m", `${name} ${turn}`] : ["describe", "-m", `${name} ${turn}`])
        .catch(() => "");
      written += 1;
      await later(40);
    }
  };
  const people = Promise.all([user("one"), user("two")]).finally(() => {
    writing = false;
  });
  const task = one.engine.state().run?.workers.find((w) => w.name === "agent-2");
  await one.execute("queue.move", {
    changeId: task?.changeId ?? "",
    priority: "critical",
    above: null,
    below: null,
    unranked: [],
  });
  await one.until((run) => run.workers.find((w) => w.name === "agent-2")?.priority === "critical");
  await one.repo.terminal([
    "describe",
    "--ignore-working-copy",
    "-r",
    task?.changeId ?? "",
    "-m",
    await relabelled(one, task?.changeId ?? ""),
  ]);
  await one.until((run) => run.workers.find((w) => w.name === "agent-2")?.priority === "low");
  const card = await one.card("align-request");
  await one.execute("inbox.answer", { ...card, decision: { kind: "answer", text: "user_id" } });
  await one.until((run) => run.stage === "validating" || over(run));
  writing = false;
  await people;
  const run = await one.until(over);
  expect(written).toBeGreaterThan(10);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect((await changesNamed(one, `run("${run.id}")`)).length).toBeGreaterThan(0);
  expect(await changesNamed(one, `run("${run.id}") & (divergent() | conflicts())`)).toEqual([]);
});
