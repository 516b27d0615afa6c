import { expect, test } from "vitest";
import { createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";

let fixture: Fixture | null = null;
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("the budget's hard stop saves the work, asks, and resumes when extended", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture();
  const one = fixture;
  await one.start({ maxTokens: 45_000 });
  const card = await one.card("budget");
  const stopped = await one.until((run) => run.paused === "budget");
  expect(stopped.budget.state).toBe("exhausted");
  const asked = one.standIn.requests().length;
  await later(300);
  expect(one.standIn.requests().length).toBe(asked);
  for (const worker of stopped.workers)
    if (worker.workspace)
      expect(
        await one.repo.terminal(["diff", "--summary", "--ignore-working-copy"], { cwd: worker.workspace }),
      ).toBe(await one.repo.terminal(["diff", "--summary"], { cwd: worker.workspace }));
  await one.execute("inbox.answer", {
    ...card,
    decision: { kind: "extend", tokens: null, microDollars: null },
  });
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", paused: "no" });
});
