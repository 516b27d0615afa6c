import { expect, test } from "vitest";
import { openJournal } from "../journal/journal.ts";
import { runInput } from "../journal/testing/run-input.ts";
import { createFixture, type Fixture, over } from "./testing/run-fixture.ts";
import { threeAgents } from "./testing/three-agents-script.ts";

let fixture: Fixture | null = null;

/** The work of the three agents under another root: nobody speaks for `O-A-1`, and what it was asked would fail. */
function underAnotherRoot() {
  const { "O-A-1": orchestrator = [], integrator = [], ...others } = threeAgents.routes;
  return {
    ...threeAgents,
    routes: { ...others, "O-A-2": orchestrator, "integrator-a-2": integrator },
  };
}

test("a run that begins while O-A-1 is taken has the root O-A-2, keeps it through a restart, and lands", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  let journal: ReturnType<typeof openJournal> | null = null;
  fixture = await createFixture({
    script: underAnotherRoot(),
    openJournal: (path, now) => {
      journal = openJournal(path, now);
      return journal;
    },
  });
  const opened = journal as ReturnType<typeof openJournal> | null;
  // Written into the journal alone: a run beside this one that does nothing.
  opened?.addRun("before", { ...runInput, goal: "Write an index", model: "claude-sonnet-5-5" });
  const { land, ...answers } = fixture.answers;
  fixture.answers = answers;
  const id = await fixture.start();
  await fixture.card("land");
  expect(opened?.runs().map((row) => [row.id, row.input.root])).toEqual([
    [id, "O-A-2"],
    ["before", "O-A-1"],
  ]);
  expect(fixture.engine.state().run?.orchestrators.map(({ name }) => name)).toEqual(["O-A-2"]);
  fixture.answers = { ...answers, ...(land ? { land } : {}) };
  // One that goes on would be taken up again.
  opened?.setStage("before", "stopped", true);
  await fixture.reopen();
  const run = await fixture.until(over);
  expect(run).toMatchObject({ id, stage: "complete", failure: null, landed: { bookmark: "main" } });
  expect(run.validation?.verdict).toBe("approved");

  const names = run.workers.map(({ name }) => name);
  expect(names).toContain("integrator-a-2");
  expect(names).not.toContain("O-A-1");
  expect(new Set(run.workers.map(({ parent }) => parent))).toEqual(new Set([null, "O-A-2"]));
  const owners = await fixture.repo.terminal(["log", "--no-graph", "-r", "all()", "-T", "description"]);
  expect(owners).not.toContain("O-A-1");
  expect(await fixture.repo.terminal(["file", "show", "-r", "main", "src/index.txt"])).toBe(
    "the store\nthe view",
  );
  expect(fixture.standIn.unusedSteps()).toEqual([]);
});
