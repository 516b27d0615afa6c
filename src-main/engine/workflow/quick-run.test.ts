import { afterEach, expect, test } from "vitest";
import { defineScript, type ScriptedStep } from "../../model/stand-in/script.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { done, write } from "../testing/three-agents-script.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

const asks: ScriptedStep = {
  calls: [
    { tool: "align_request", input: { question: "Tabs or blanks?", options: ["with tabs"], blocking: true } },
  ],
};

/** Only the agent has a route: whoever else asks a model anything finds no answer, and the test fails. */
const alone = defineScript({
  name: "quick",
  routes: {
    "agent-1": [
      {
        name: "works",
        prompt: /with tabs/u,
        steps: [write("src/store.txt", "the store\n"), done("The store is written.")],
      },
      { name: "asks", steps: [asks] },
    ],
  },
});

const goal = "Write the store.\n\nOne line in src/store.txt.";

test("a quick run uses one model: questions go to the user, no panel votes, the user lands it, and a restart resumes it", async () => {
  fixture = await createFixture({ workflow: "auto", script: alone });
  fixture.answers = { "align-request": () => ({ kind: "answer", text: "with tabs" }) };
  await fixture.start({ goal, quick: true });
  const card = await fixture.card("land");
  expect(card).toMatchObject({ isUnchecked: false, failedChecks: [], diffStat: [{ path: "src/store.txt" }] });
  const before = fixture.standIn.requests().length;
  fixture.answers = { land: () => ({ kind: "approve", bookmark: "main" }) };
  await fixture.reopen();
  const run = await fixture.until(over);

  expect(run).toMatchObject({ stage: "complete", isQuick: true, planApproved: true, validation: null });
  expect(fixture.standIn.requests()).toHaveLength(before);
  expect(new Set(fixture.standIn.requests().map(({ seen }) => seen.role))).toEqual(new Set(["agent-1"]));
  expect(run.plan?.tasks).toMatchObject([{ title: "Write the store", description: goal, files: ["**"] }]);
  expect(run.orchestrators[0]?.workflow).toMatchObject({
    contracts: { mode: "off", by: "user" },
    integrator: { mode: "off", by: "user" },
    panel: { mode: "off", by: "quick" },
    learning: { mode: "off", by: "user" },
  });
  // The checks ran in the workspace, in a fresh checkout, and on what lands.
  expect(run.workers.find(({ name }) => name === "agent-1")).toMatchObject({
    checks: [{ outcome: "passed" }],
    mergeRequest: { checks: [{ outcome: "passed" }], reviews: [] },
  });
  expect(run.workers.find(({ role }) => role === "integrator")?.checks).toMatchObject([
    { outcome: "passed" },
  ]);
  expect(
    fixture.events.some((event) => event.kind === "inbox" && event.items.some(({ kind }) => kind === "plan")),
  ).toBe(false);
  expect(await fixture.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toBe("the store");

  expect(await fixture.execute("run.forecast")).toMatchObject({
    tasks: [{ model: run.model, count: 1, microDollars: { median: run.microDollars } }],
    validators: [],
  });
});

test("a quick run has all that the repository requires, and does not land automatically without a review", {
  tags: ["long"],
}, async () => {
  const check = '[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\npreflight = "off"\n';
  fixture = await createFixture({
    files: {
      "check.sh": "! grep -rn BROKEN src\n",
      ".hox/config.toml": `${check}[run]\nquick = true\n[gates]\nland = "auto"\n[workflow]\nlearning = "on"\n`,
    },
    script: defineScript({
      name: "quick",
      routes: {
        "agent-1": [{ name: "works", steps: [write("src/a.txt", "a\n"), done("Done.")] }],
        "O-A-1": [{ name: "learns", prompt: /^\[EVENT learn\]/u, steps: [done("Nothing.")] }],
      },
    }),
  });
  fixture.answers = {};
  await fixture.start({ goal: "Write a" });
  await fixture.card("land");
  const root = fixture.engine.state().run?.orchestrators[0];
  expect(root?.workflow).toMatchObject({
    learning: { mode: "on", by: "configuration" },
    panel: { mode: "off", by: "quick" },
  });
});
