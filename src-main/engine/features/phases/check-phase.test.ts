import { afterEach, expect, test } from "vitest";
import type { ItemOf } from "#shared/contract/cards.ts";
import { kindOfCard } from "#shared/contract/cards.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { defineScript, type Scene, type Script } from "../../../model/stand-in/script.ts";
import { createFixture, type Fixture, over } from "../../testing/run-fixture.ts";
import { done, plan, write } from "../../testing/three-agents-script.ts";
import { seat } from "../../testing/verdict-script.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

const phased: Plan = {
  ...plan,
  phases: [
    { number: 1, title: "Build" },
    { number: 2, title: "Show" },
  ],
  tasks: plan.tasks.map((task) => ({ ...task, phase: task.id === "view" ? 2 : 1 })),
};

const files = (...validation: readonly string[]): Readonly<Record<string, string>> => ({
  "readme.md": "# Example\n",
  // Red only where both lie together and nobody has said so.
  "check.sh": "if [ -e src/store.txt ] && [ -e src/api.txt ]; then test -e src/together.txt; fi\n",
  ".hox/config.toml": [
    "[backpressure]",
    'fast_checks = ["sh check.sh"]',
    "slow_checks = []",
    'first_look = "off"',
    "[fold]",
    'strategy = "merge"',
    "[validation]",
    "validator_count = 1",
    'phases = "checks"',
    ...validation,
    "[ceremony]",
    'contracts = "never"',
    'learning = "never"',
  ].join("\n"),
});

const writes = (id: string, ...more: readonly Scene[]): readonly Scene[] => [
  ...more,
  { name: "works", steps: [write(`src/${id}.txt`, `the ${id}\n`), done(`The ${id} is written.`)] },
];

const repairs: Scene = {
  name: "repairs the phase",
  prompt: "Phase 1 does not hold",
  steps: [write("src/together.txt", "both\n"), done("Both are together.")],
};
const script = (...repair: readonly Scene[]): Script =>
  defineScript({
    name: "phases",
    routes: {
      "O-A-1": [
        {
          name: "plan",
          prompt: /^\[EVENT plan(?: changed)?\]/u,
          steps: [{ calls: [{ tool: "propose_plan", input: { ...phased } }] }],
        },
      ],
      "agent-1": writes("store", ...repair),
      "agent-2": writes("api", ...repair),
      // It builds on both, so nothing of its own passes before they fit.
      "agent-3": [
        {
          name: "works",
          steps: [
            write("src/view.txt", "the view\n"),
            write("src/together.txt", "both\n"),
            done("It is shown."),
          ],
        },
      ],
      integrator: [
        { name: "brings together", steps: [write("src/together.txt", "both\n"), done("Together.")] },
      ],
      "validator-1": seat(() => "approve"),
    },
  });

test("what fails after a phase is repaired by whoever was merged last, on top of all, before the next phase begins", {
  tags: "long",
}, async () => {
  fixture = await createFixture({ ceremony: "auto", files: files(), script: script(repairs) });
  await fixture.start();
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", validation: { verdict: "approved" } });
  const prompts = fixture.standIn.requests().map(({ seen }) => ({ role: seen.role, prompt: seen.prompt }));
  const repair = prompts.findIndex(({ prompt }) => prompt.includes("Phase 1 does not hold"));
  const next = prompts.findIndex(({ role }) => role === "agent-3");
  expect(repair).toBeGreaterThan(0);
  expect(next).toBeGreaterThan(repair);
  expect(prompts[repair]?.prompt).toContain("sh check.sh");
  expect(await fixture.repo.terminal(["file", "show", "-r", "main", "src/together.txt"])).toBe("both");
});

test("a phase that fails after its rounds is a person's: they go on with a reason", {
  tags: "long",
}, async () => {
  fixture = await createFixture({ ceremony: "auto", files: files("repair_rounds = 0"), script: script() });
  await fixture.start();
  const card = (await fixture.card("votes")) as ItemOf<"votes">;
  expect(card).toMatchObject({
    phase: { orchestrator: "O-A-1", number: 1 },
    validation: { verdict: "vetoed", attempt: 1, seats: [], checks: [{ outcome: "failed" }] },
  });
  expect(kindOfCard(card).headline(card)).toBe("A check fails on phase 1");
  const roles = () => new Set(fixture?.standIn.requests().map(({ seen }) => seen.role));
  expect(roles()).not.toContain("agent-3");
  await fixture.engine.execute("inbox.answer", {
    ...card,
    decision: { kind: "land", reason: "The view does not need them together." },
  });
  expect(await fixture.until(over)).toMatchObject({ stage: "complete" });
  expect(roles()).toContain("agent-3");
});

test("a phase that a person advances by hand is checked as well, and waits for its verdict", async () => {
  const config = files("repair_rounds = 0");
  fixture = await createFixture({
    ceremony: "auto",
    files: {
      ...config,
      ".hox/config.toml": `${config[".hox/config.toml"]}\n[loop_defaults]\nauto_advance = false\n`,
    },
    script: script(),
  });
  const one = fixture;
  await one.start();
  await one.until((run) => run.phase === 1 && run.paused === "paused");
  await one.engine.execute("run.resume");
  const card = await one.card("votes");
  expect(card).toMatchObject({ phase: { orchestrator: "O-A-1", number: 1 } });
  expect(one.standIn.requests().map(({ seen }) => seen.role)).not.toContain("agent-3");
  await one.engine.execute("inbox.answer", {
    ...card,
    decision: { kind: "land", reason: "The view brings them together." },
  });
  expect(await one.until((run) => run.phase === 2)).toMatchObject({ stage: "executing" });
});

test("stopped after a phase a run ends as rejected", { tags: "long" }, async () => {
  fixture = await createFixture({ ceremony: "auto", files: files("repair_rounds = 0"), script: script() });
  await fixture.start();
  const card = await fixture.card("votes");
  await fixture.engine.execute("inbox.answer", { ...card, decision: { kind: "stop" } });
  expect(await fixture.until(over)).toMatchObject({
    stage: "failed",
    endedBy: "rejection",
    failure: { reason: expect.stringContaining("The checks failed after phase 1") },
  });
});
