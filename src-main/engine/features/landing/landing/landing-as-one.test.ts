import { expect, test } from "vitest";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { calmAgents } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("a run landed as one commit lists its changes and authors, keeps their metadata, and is undone", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({ script: calmAgents });
  const one = fixture;
  const main = () => one.repo.terminal(["log", "--no-graph", "-r", "main", "-T", "commit_id"]);
  const before = await main();
  one.answers = { ...agreeable, land: () => ({ kind: "approve", bookmark: "main", history: "one" }) };
  await one.start();
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });

  const [landed, ...more] = (
    await one.repo.terminal(["log", "--no-graph", "-r", `${before}..main`, "-T", 'description ++ "\\0"'])
  )
    .split("\0")
    .filter((text) => text.trim() !== "");
  expect(more).toEqual([]);
  expect(landed).toMatch(/^Keep users\n/u);
  for (const task of run.plan?.tasks ?? []) expect(landed).toContain(`- ${task.title}`);
  expect(run.plan?.tasks).toHaveLength(3);
  for (const agent of ["agent-1", "agent-2", "agent-3"]) expect(landed).toContain(`<${agent}@hox.invalid>`);
  expect(await one.repo.terminal(["diff", "--from", run.landed?.to ?? "", "--to", "main"])).toBe("");

  // Who wrote what in which change is known after a restart too, and jj has each of them in its operation log.
  await one.reopen();
  const workers = one.engine.state().run?.workers.filter(({ role }) => role === "agent") ?? [];
  expect(workers.map(({ name, changeId }) => [name, typeof changeId])).toEqual([
    ["agent-1", "string"],
    ["agent-2", "string"],
    ["agent-3", "string"],
  ]);

  await one.execute("run.undoLanding");
  expect(await main()).toBe(before);
  // The branch is where it was; the work stays, beside it.
  const kept = ["log", "--no-graph", "-r", run.landed?.to ?? "", "-T", "description.first_line()"];
  expect(await one.repo.terminal(kept)).toBe("Keep users");
});
