import { expect, test } from "vitest";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { calmAgents, exampleFiles } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
const notices = (one: Fixture) =>
  one.events.flatMap((event) =>
    event.kind === "notice" && event.text.startsWith("Provider limit reached") ? [event] : [],
  );

test("all agents wait for the provider's limit and show until when; the user may retry at once", {
  tags: ["long"],
  timeout: 400_000,
}, async () => {
  fixture = await createFixture({
    script: {
      ...calmAgents,
      routes: { ...calmAgents.routes, "agent-4": calmAgents.routes["agent-3"] ?? [] },
    },
    faults: [{ kind: "rate-limit", role: "agent-3", retryAfter: 3600 }],
  });
  const one = fixture;
  const begun = Date.now();
  await one.start();
  const waiting = await one.until((run) => run.providerLimit != null);
  expect(waiting.paused).toBe("no");
  expect(waiting.providerLimit?.until).toBeGreaterThanOrEqual(begun + 3_600_000);
  expect(waiting.providerLimit?.reason).toContain("rate limit");
  expect(notices(one)).toMatchObject([
    { level: "info", remedy: expect.stringContaining("resume automatically") },
  ]);
  // Whoever waits for the provider keeps nobody else waiting: it comes to its turn boundary at once.
  expect(await one.execute("run.reassignWorker", { worker: "agent-3", model: null, brief: "" })).toEqual({
    worker: "agent-4",
  });
  expect(one.engine.state().run?.providerLimit, "the limit lasts").not.toBeNull();
  const waits = () =>
    one.engine.state().timeline?.tracks[0]?.stretches.filter(({ kind }) => kind === "provider");
  expect(waits()).toEqual([expect.objectContaining({ worker: null, to: null })]);
  expect(one.engine.state().timeline?.breaks).toContainEqual(
    expect.objectContaining({ why: "provider", to: null }),
  );
  await one.execute("run.resume");
  const run = await one.until(over, 280_000);
  expect(run).toMatchObject({ stage: "complete", providerLimit: null });
  expect(waits()).toEqual([expect.objectContaining({ to: expect.any(Number) })]);
});

test("the run is paused when it may not resume automatically, also over a restart, until the user resumes it", {
  tags: ["long"],
  timeout: 400_000,
}, async () => {
  const settings = "[models]\nresume_when_quota_returns = false\n";
  fixture = await createFixture({
    script: calmAgents,
    files: { ...exampleFiles, ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}${settings}` },
    faults: [{ kind: "rate-limit", role: "agent-3", retryAfter: 0 }],
  });
  const one = fixture;
  await one.start();
  const waiting = await one.until((run) => run.providerLimit != null);
  expect(waiting.providerLimit?.until).toBeNull();
  expect(await one.until((run) => run.paused !== "no")).toMatchObject({ paused: "paused" });
  expect(notices(one)).toMatchObject([{ level: "warning", remedy: expect.stringContaining("Resume it") }]);
  await one.reopen();
  expect(one.engine.state().run).toMatchObject({ paused: "paused" });
  const asked = one.standIn.requests().length;
  await one.execute("run.resume");
  const run = await one.until(over, 280_000);
  expect(run.stage).toBe("complete");
  // Nobody had asked between the limit and the word to go on.
  expect(one.closings).toEqual([asked]);
});

test("used-up credit is one card for all, also after a restart, and an outage one notice and no card", {
  tags: ["long"],
  timeout: 200_000,
}, async () => {
  fixture = await createFixture({
    script: calmAgents,
    faults: [
      ...["agent-1", "agent-2", "validator-1", "validator-3"].map((role) => ({
        ...{ kind: "refused" as const, role, answer: noCredit },
      })),
      { kind: "refused", role: "agent-3", answer: noPermission },
    ],
  });
  const one = fixture;
  one.answers = { ...one.answers, trouble: () => null };
  await one.start();
  const allWait = () =>
    one.until(
      ({ workers }) => workers.filter(({ activity }) => activity === "waiting for you: error").length === 3,
    );
  await allWait();
  const cards = one.engine.state().inbox;
  expect(cards.map((card) => (card.kind === "trouble" ? card.remedy : "")).sort()).toEqual([
    expect.stringContaining("Add credit"),
    expect.stringContaining("Ask the administrator"),
  ]);
  await one.reopen();
  expect(
    one.engine
      .state()
      .inbox.map(({ id }) => id)
      .sort(),
  ).toEqual(cards.map(({ id }) => id).sort());
  one.standIn.fail({ kind: "overloaded", times: 9 });
  for (const card of one.engine.state().inbox)
    await one.execute("inbox.answer", { ...card, decision: { kind: "retry" } });
  const out = await one.until((run) => run.providerLimit?.kind === "outage");
  expect(out.providerLimit).toMatchObject({
    reason: expect.stringContaining("overloaded"),
    since: expect.any(Number),
  });
  await one.execute("run.resume");
  // Judges are refused the same, and keep their seats.
  const again = await one.card("trouble");
  expect(again).toMatchObject({
    title: "Models are not available",
    remedy: expect.stringContaining("Add credit"),
  });
  await one.execute("inbox.answer", { ...again, decision: { kind: "retry" } });
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", providerLimit: null, validation: { verdict: "approved" } });
  const texts = one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  expect(texts.filter((text) => /overloaded|responds again/.test(text))).toEqual([
    expect.stringContaining("overloaded"),
    expect.stringContaining("responds again"),
  ]);
});

const noPermission = {
  status: 403,
  body: {
    type: "error",
    error: { type: "permission_error", message: "Your API key does not have permission." },
  },
};

const noCredit = {
  status: 400,
  body: {
    type: "error",
    error: { type: "invalid_request_error", message: "Your credit balance is too low to access the API." },
  },
};
