import { expect, test } from "vitest";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";

let fixture: Fixture | null = null;

test("a server that limits, is overloaded, disconnects, stalls and truncates costs only time", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({
    // One of the faults is waited out. Whoever else is taken for silent on a busy machine asks again, as that one does.
    idleMs: 5_000,
    faults: [
      { kind: "rate-limit", role: "O-A-1", turns: 0, retryAfter: 0 },
      { kind: "overloaded", role: "O-A-1", turns: 1, retryAfter: 0 },
      { kind: "cut", role: "agent-1", turns: 1 },
      { kind: "error-event", role: "agent-1", turns: 2 },
      { kind: "stall", role: "agent-3", turns: 0 },
      { kind: "truncate", role: "agent-1", turns: 0 },
      { kind: "truncate", role: "O-A-1", turns: 2 },
      { kind: "server", role: "integrator" },
    ],
  });
  const one = fixture;
  await one.start();
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  const outcomes = one.standIn.requests().map((request) => request.outcome);
  expect(outcomes).toEqual(
    expect.arrayContaining(["rate-limit", "overloaded", "cut", "stall", "truncate", "server", "error-event"]),
  );
  // What was refused before it began is not charged; the rest once each.
  const free = outcomes.filter((outcome) =>
    ["rate-limit", "overloaded", "server"].includes(String(outcome)),
  ).length;
  expect(run.budget.spent.requests).toBeLessThanOrEqual(outcomes.length - free);
});

test("a wrong key is reported with its remedy; the run waits for it, also over a restart, and loses nothing", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ apiKey: "wrong" });
  const one = fixture;
  one.answers = { ...one.answers, trouble: () => null };
  await one.start();
  const card = await one.card("trouble");
  expect(card).toMatchObject({
    worker: null,
    title: "Models are not available",
    detail: expect.stringMatching(/^The provider rejected the API key/),
    remedy: expect.stringMatching(/key/i),
  });
  await one.reopen();
  expect(await one.card("trouble")).toEqual(card);
  one.useKey(one.standIn.apiKey);
  await one.reopen();
  await one.execute("inbox.answer", { ...(await one.card("trouble")), decision: { kind: "retry" } });
  expect(await one.until(over)).toMatchObject({ stage: "complete" });
});
