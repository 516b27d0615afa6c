import { afterEach, expect, test } from "vitest";
import type { RunView } from "#shared/contract/views.ts";
import { agreeable, createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { done, threeAgents, write } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});
const worker = (run: RunView | null, name: string) => run?.workers.find((one) => one.name === name);
const promptsOf = (one: Fixture, role: string) =>
  one.standIn.requests().filter((request) => request.seen.role === role).length;

test("one agent is paused and resumed, also over a restart, while the others go on", async () => {
  fixture = await createFixture({ pace: 6 });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  await one.until((run) => worker(run, "agent-1")?.state === "tools");
  await one.engine.pauseWorker("agent-1");
  await one.until((run) => worker(run, "agent-1")?.activity === "paused by you");
  const asked = promptsOf(one, "agent-1");
  await one.until((run) => worker(run, "agent-3")?.status === "done");
  await one.reopen();
  await one.until((run) => worker(run, "agent-1")?.activity === "paused by you");
  expect(one.engine.state().run).toMatchObject({ paused: "no" });
  expect(promptsOf(one, "agent-1")).toBe(asked);
  await one.engine.resumeWorker("agent-1");
  await one.until((run) => worker(run, "agent-1")?.status === "done");
  await expect(one.engine.resumeWorker("agent-1")).rejects.toThrow(/not paused/);
  await expect(one.engine.pauseWorker("agent-1")).rejects.toThrow(/is done/);
  await expect(one.engine.retryWorker("agent-2")).rejects.toThrow(/Nothing went wrong/);
}, 300_000);

test("a message of the user is in the agent's next prompt, and it is not done before it has read it", async () => {
  const read: string[] = [];
  fixture = await createFixture({
    pace: 6,
    script: {
      ...threeAgents,
      routes: {
        ...threeAgents.routes,
        "agent-3": [
          {
            name: "has read",
            prompt: "From user: Say hello",
            steps: [
              (seen) => {
                read.push(seen.prompt);
                return write("src/hello.txt", "hello\n");
              },
              done("Said hello."),
            ],
          },
          ...(threeAgents.routes["agent-3"] ?? []),
        ],
      },
    },
  });
  const one = fixture;
  await one.start();
  await one.until((run) => worker(run, "agent-3")?.state === "tools");
  await one.engine.messageWorker("agent-3", "Say hello in src/hello.txt.");
  const sent = one.engine.state().messages.find((message) => message.from === "user");
  expect(sent).toMatchObject({ to: "O-A-1/agent-3", type: "info", text: "Say hello in src/hello.txt." });
  await expect(one.engine.messageWorker("agent-9", "Hello")).rejects.toMatchObject({
    remedy: "Its agents are agent-1, agent-2, agent-3.",
  });
  const run = await one.until(over);
  expect(run.stage).toBe("complete");
  expect(read[0]).toContain("## Messages");
  expect(await one.repo.terminal(["file", "show", "-r", "main", "src/hello.txt"])).toBe("hello");
  const handled = one.engine.state().messages.find((message) => message.from === "user");
  expect(handled?.handled).toBe(true);
}, 300_000);

test("one that its model left alone begins again with a fresh context, or is undone and begins anew", async () => {
  fixture = await createFixture({
    faults: Array.from({ length: 6 }, () => ({ kind: "server", role: "agent-3", turns: 1 }) as const),
  });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null, trouble: () => null };
  await one.start();
  expect(await one.card("trouble")).toMatchObject({ worker: "agent-3" });
  await one.engine.retryWorker("agent-3");
  const second = await one.card("trouble");
  const view = worker(one.engine.state().run, "agent-3");
  await one.engine.undoWorker({ worker: "agent-3", afterwards: "restart" });
  const run = await one.until((now) => worker(now, "agent-3")?.status === "done");
  expect(one.engine.state().inbox.some((item) => item.id === second.id)).toBe(false);
  expect(worker(run, "agent-3")?.iteration).toBeGreaterThan(view?.iteration ?? 0);
  expect(await one.repo.terminal(["file", "show", "-r", view?.changeId ?? "", "src/view.txt"])).toBe(
    "shows users",
  );
}, 300_000);
