import { expect, it } from "vitest";
import { createFixture, type Fixture, over } from "../engine/testing/run-fixture.ts";
import { styleIn } from "./receipts.ts";

let fixture: Fixture | null = null;

const goal = "Write every amount with its currency";
const suggested = "Test amounts below zero";
const shown = (one: Fixture, path: string) =>
  one.repo.terminal(["file", "show", "-r", "main", path], { cwd: one.root });

it("is a whole run: a clone searches, the user chooses between two ways, a suggestion becomes a task", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ rehearsal: "receipts" });
  const one = fixture;
  one.answers = {
    ...one.answers,
    // Not sure? Both ways, side by side.
    async "align-request"() {
      await one.execute("attempt.fork", {
        worker: "agent-1",
        iteration: 1,
        turn: 3,
        words: "Do not ask: put the sign in front, € 2.80.",
        model: null,
      });
      return { kind: "answer", text: "2.80 EUR" };
    },
    // The reviewer looks at what stands there already, while both wait for a choice.
    async attempts() {
      await one.until(({ workers }) => workers.some(({ title }) => title === suggested), 60_000);
      return { kind: "choose", worker: "agent-3" };
    },
    suggestion: () => ({ kind: "task" }),
  };
  await one.start({ goal, rehearsal: "receipts" });
  const run = await one.until(over, 240_000);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null, landed: { bookmark: "main" } });
  const clone = run.workers.find(({ role }) => role === "fork");
  expect(clone).toMatchObject({ parent: "agent-1", status: "done" });
  expect(clone?.fork?.cachedShare).toBeGreaterThan(0.5);
  expect(clone?.fork?.result?.content).toContain("src/poster.js:3");
  expect(await shown(one, "src/money.js")).toContain("currency.sign");
  // It knew from the history what it would have had to read again.
  expect(run.workers.find(({ name }) => name === "agent-3")).toMatchObject({ iteration: 1, status: "done" });
  expect(run.comments).toMatchObject([
    { archangel: "tests", path: "src/money.js", line: 4, relation: "missing_step", sentTo: null },
  ]);
  expect(run.workers.find(({ title }) => title === suggested)).toMatchObject({
    role: "agent",
    status: "done",
  });
  expect(await shown(one, "test/refund.test.js")).toContain("amount(-150)");
  expect(await shown(one, "src/print.js")).toContain("takings(receipts)");
  expect(
    await one.repo.terminal(["log", "--no-graph", "-r", "conflicts() | divergent()", "-T", "change_id"], {
      cwd: one.root,
    }),
  ).toBe("");
});

it("completes when the user only answers cards", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ rehearsal: "receipts" });
  const one = fixture;
  one.answers = { ...one.answers, "align-request": () => ({ kind: "answer", text: "2.80 EUR" }) };
  await one.start({ goal, rehearsal: "receipts" });
  const run = await one.until(over, 240_000);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null, landed: { bookmark: "main" } });
  expect(await shown(one, "src/money.js")).toContain("currency.code");
});

it.each([
  ["2.80 EUR", "code"],
  ["€ 2.80", "sign"],
  ["Put the sign in front, please", "sign"],
  ["As you like", "code"],
])("%s → %s", (words, style) => expect(styleIn(words)).toBe(style));
