import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import { requestsOf, worker } from "../testing/read-run.ts";
import { agreeable, createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { exampleFiles } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("one agent's budget stops only that one after saving, by at most one request; its card extends it or leaves it paused", async () => {
  fixture = await createFixture({ pace: 2 });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  // Before it has asked anything: whoever thinks already may be through with its last request by now.
  await one.until((run) => typeof worker(run, "agent-1")?.changeId === "string");
  await one.execute("run.setWorkerLimits", { worker: "agent-1", microDollars: 1 });
  const card = await one.card("budget");
  expect(card).toMatchObject({ worker: "agent-1", limitMicroDollars: 1 });
  const stopped = one.engine.state().run;
  expect(stopped).toMatchObject({ paused: "no" });
  expect(worker(stopped, "agent-1")).toMatchObject({
    budget: { state: "exhausted", limitMicroDollars: 1 },
    activity: "waiting for you: its budget is spent",
  });
  // One request was on its way when the limit was set; nothing is asked beyond it.
  const asked = requestsOf(one, "agent-1").length;
  await one.until((run) => worker(run, "agent-3")?.status === "done");
  await one.reopen();
  await one.until((run) => worker(run, "agent-1")?.activity === "waiting for you: its budget is spent");
  expect(requestsOf(one, "agent-1").length).toBe(asked);

  const again = await one.card("budget");
  expect(again.id).toBe(card.id);
  await one.execute("inbox.answer", { ...again, decision: { kind: "reject", reason: "" } });
  await one.until((run) => worker(run, "agent-1")?.held === true);
  await one.execute("run.resumeWorker", { worker: "agent-1" });
  expect((await one.until((_, inbox) => inbox.some((item) => item.kind === "budget"))).paused).toBe("no");
  // Extended from its row instead of from the card.
  await one.execute("run.setWorkerLimits", { worker: "agent-1", microDollars: 5_000_000 });
  const run = await one.until((now) => worker(now, "agent-1")?.status === "done");
  expect(worker(run, "agent-1")?.budget).toMatchObject({ state: "ok", limitMicroDollars: 5_000_000 });
  expect(one.engine.state().inbox.filter((item) => item.kind === "budget")).toEqual([]);
}, 300_000);

test("an orchestrator's budget counts all workers below it, and stops all of them with one card", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const budget = (tokens: number) =>
    `${exampleFiles[".hox/config.toml"]}\n[budget]\nmax_usd = 3\nper_orchestrator_tokens = ${tokens}\n`;
  fixture = await createFixture({
    pace: 2,
    files: { ...exampleFiles, ".hox/config.toml": budget(10_000_000) },
  });
  const one = fixture;
  one.answers = { ...agreeable, budget: () => null, trouble: () => null };
  await one.start({ maxTokens: null });
  expect(one.engine.state().run?.budget).toMatchObject({ limitTokens: null, limitMicroDollars: 3_000_000 });
  const begun = await one.until((run) => (worker(run, "agent-1")?.spent.requests ?? 0) >= 1);
  expect(worker(begun, "O-A-1")?.budget).toMatchObject({ limitTokens: 10_000_000, state: "ok" });
  // The file is read again whenever it changes: a card that it makes needless is taken back.
  await one.configure(budget(1));
  const card = await one.card("budget");
  expect(card).toMatchObject({ worker: "O-A-1", limitTokens: 1 });
  const root = worker(one.engine.state().run, "O-A-1");
  expect(root?.budget.spent.requests).toBeGreaterThan(root?.spent.requests ?? 0);
  await one.configure(budget(20_000_000));
  await one.until((_, inbox) => inbox.every((item) => item.kind !== "budget"));
  const finished = (status?: string) => status === "review" || status === "done";
  await one.until((run) =>
    ["agent-1", "agent-2", "agent-3"].every((name) => finished(worker(run, name)?.status)),
  );
});

test("fewer agents at once: the last in order release their slots; more iterations count at once", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ pace: 4 });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  const busy = (run: RunView) =>
    run.workers.filter((w) => w.role === "agent" && ["thinking", "tools", "checking"].includes(w.state));
  await one.until((run) => busy(run).length >= 2);
  await one.execute("run.setLimits", { maxParallelAgents: 1, maxIterations: 7 });
  expect(one.engine.state().run).toMatchObject({ maxParallelAgents: 1, maxIterations: 7 });
  await one.until((run) =>
    run.workers.some((w) => w.role === "agent" && w.activity === "waiting for a free slot"),
  );
  await one.reopen();
  expect(one.engine.state().run).toMatchObject({ maxParallelAgents: 1, maxIterations: 7 });
  expect(worker(one.engine.state().run, "agent-1")?.budget.maxIterations).toBe(7);
  await one.execute("run.setWorkerLimits", { worker: "agent-1", maxIterations: 9 });
  expect(worker(one.engine.state().run, "agent-1")?.budget.maxIterations).toBe(9);
  await one.execute("run.setLimits", { maxParallelAgents: null });
  expect(one.engine.state().run?.maxParallelAgents).toBe(3);
  const card = await one.card("align-request");
  one.answers = { ...agreeable, trouble: () => null };
  await one.execute("inbox.answer", {
    ...card,
    decision: { kind: "answer", text: "user_id, please" },
  });
  await one.until((run) => run.stage === "integrating" || over(run));
});
