import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { InboxItem, ItemOf } from "#shared/contract/cards.ts";
import { kindOfCard } from "#shared/contract/cards.ts";
import { StaleAnswer } from "../../../engine-errors.ts";
import { phaseFiles, phaseScript, repairsPhase } from "../../../testing/phase-script.ts";
import { worker } from "../../../testing/read-run.ts";
import { createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

test("a failure after a phase is repaired by the last merged agent, on top of all, before the next phase begins", {
  tags: "long",
}, async () => {
  fixture = await createFixture({ workflow: "auto", files: phaseFiles(), script: phaseScript(repairsPhase) });
  await fixture.start();
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", validation: { verdict: "approved" } });
  const prompts = fixture.standIn.requests().map(({ seen }) => ({ role: seen.role, prompt: seen.prompt }));
  const repair = prompts.findIndex(({ prompt }) => prompt.includes("Phase 1 failed"));
  const next = prompts.findIndex(({ role }) => role === "agent-3");
  expect(repair).toBeGreaterThan(0);
  expect(next).toBeGreaterThan(repair);
  expect(prompts[repair]?.prompt).toContain("sh check.sh");
  expect(await fixture.repo.terminal(["file", "show", "-r", "main", "src/together.txt"])).toBe("both");
});

test("a phase that fails after its rounds goes to the user, who continues with a reason that lands", {
  tags: "long",
}, async () => {
  const config = phaseFiles("repair_rounds = 0");
  fixture = await createFixture({
    workflow: "auto",
    files: {
      ...config,
      ".hox/config.toml": `${config[".hox/config.toml"]}\n[landing]\nhistory = "one"\n`,
    },
    script: phaseScript(),
  });
  await fixture.start();
  const card = (await fixture.card("votes")) as ItemOf<"votes">;
  expect(card).toMatchObject({
    phase: { orchestrator: "O-A-1", number: 1 },
    validation: { verdict: "vetoed", attempt: 1, seats: [], checks: [{ outcome: "failed" }] },
    rounds: [],
  });
  expect(kindOfCard(card).headline(card)).toBe("A check fails on phase 1");
  const roles = () => new Set(fixture?.standIn.requests().map(({ seen }) => seen.role));
  expect(roles()).not.toContain("agent-3");
  await fixture.execute("inbox.answer", {
    ...card,
    decision: { kind: "land", reason: "The view does not need them together." },
  });
  expect(await fixture.until(over)).toMatchObject({ stage: "complete" });
  expect(roles()).toContain("agent-3");
  expect(await fixture.repo.terminal(["log", "--no-graph", "-r", "main", "-T", "description"])).toContain(
    "Hox-Overruled: Phase 1: The view does not need them together.",
  );
});

test("a phase that the user advances is checked too, and waits for a verdict on its current version", async () => {
  const config = phaseFiles("repair_rounds = 0");
  fixture = await createFixture({
    workflow: "auto",
    files: {
      ...config,
      ".hox/config.toml": `${config[".hox/config.toml"]}\n[loop_defaults]\nauto_advance = false\n`,
    },
    script: phaseScript(),
  });
  const one = fixture;
  await one.start();
  await one.until((run) => run.phase === 1 && run.paused === "paused");
  await one.execute("run.resume");
  const card = await one.card("votes");
  expect(card).toMatchObject({ phase: { orchestrator: "O-A-1", number: 1 } });
  expect(one.standIn.requests().map(({ seen }) => seen.role)).not.toContain("agent-3");
  // Edited while the card waits, it is another one that is asked about, and this one counts no more.
  const { terminal, folder } = one.repo;
  const store = worker(one.engine.state().run, "agent-1")?.changeId ?? "";
  const workspace = join(folder, "beside");
  await terminal(["workspace", "add", workspace, "-r", store]);
  await writeFile(join(workspace, "src", "store.txt"), "words of a user\n");
  await terminal(["-R", workspace, "squash", "--into", store, "-m", "By hand"]);
  const answer = (item: InboxItem) =>
    one.execute("inbox.answer", {
      ...item,
      decision: { kind: "land", reason: "The view brings\nthem together." },
    });
  await expect(answer(card)).rejects.toThrow(StaleAnswer);
  await one.until((_, inbox) => inbox.some(({ kind, id }) => kind === "votes" && id !== card.id));
  const again = await one.card("votes");
  expect(again).toMatchObject({ phase: { number: 1 }, validation: { attempt: 1 } });
  expect(one.engine.state().inbox).toHaveLength(1);
  await answer(again);
  expect(await one.until((run) => run.phase === 2)).toMatchObject({ stage: "executing" });
  const changeId = (again as ItemOf<"votes">).changeId;
  expect(await terminal(["log", "--no-graph", "-r", changeId, "-T", "description"])).toContain(
    "Hox-Overruled: Phase 1: The view brings them together.",
  );
});

test("a run stopped after a phase ends as rejected", { tags: "long" }, async () => {
  fixture = await createFixture({
    workflow: "auto",
    files: phaseFiles("repair_rounds = 0"),
    script: phaseScript(),
  });
  await fixture.start();
  const card = await fixture.card("votes");
  await fixture.execute("inbox.answer", { ...card, decision: { kind: "stop" } });
  expect(await fixture.until(over)).toMatchObject({
    stage: "failed",
    endedBy: "rejection",
    failure: { reason: expect.stringContaining("The checks failed after phase 1") },
  });
});
