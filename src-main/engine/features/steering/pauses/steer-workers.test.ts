import { expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import { worker } from "../../../testing/read-run.ts";
import { agreeable, createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { done, threeAgents, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
const promptsOf = (one: Fixture, role: string) =>
  one.standIn.requests().filter((request) => request.seen.role === role).length;

test("one agent is paused and resumed, also over a restart, while the others continue", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ pace: 6 });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  await one.until((run) => worker(run, "agent-1")?.state === "tools");
  await one.execute("run.pauseWorker", { worker: "agent-1" });
  await one.until((run) => worker(run, "agent-1")?.activity === "paused by you");
  const asked = promptsOf(one, "agent-1");
  await one.until((run) => worker(run, "agent-3")?.status === "done");
  await one.reopen();
  await one.until((run) => worker(run, "agent-1")?.activity === "paused by you");
  expect(one.engine.state().run).toMatchObject({ paused: "no" });
  expect(promptsOf(one, "agent-1")).toBe(asked);
  await one.execute("run.resumeWorker", { worker: "agent-1" });
  await one.until((run) => worker(run, "agent-1")?.status === "done");
  await expect(one.execute("run.resumeWorker", { worker: "agent-1" })).rejects.toThrow(/not paused/);
  await expect(one.execute("run.pauseWorker", { worker: "agent-1" })).rejects.toThrow(/is done/);
  await expect(one.execute("run.retryWorker", { worker: "agent-2" })).rejects.toThrow(/has not failed/);
});

test("a message of the user is in the agent's next prompt, and it is not done before reading it", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
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
  await one.execute("run.messageWorker", { worker: "agent-3", text: "Say hello in src/hello.txt." });
  const sent = one.engine.state().messages.find((message) => message.from === "user");
  expect(sent).toMatchObject({ to: "O-A-1/agent-3", type: "info", text: "Say hello in src/hello.txt." });
  await expect(one.execute("run.messageWorker", { worker: "agent-9", text: "Hello" })).rejects.toMatchObject({
    remedy: "Its agents are agent-1, agent-2, agent-3.",
  });
  const run = await one.until((now) => worker(now, "agent-3")?.status === "done");
  expect(read[0]).toContain("## Messages");
  const revset = worker(run, "agent-3")?.changeId ?? "";
  expect(await one.repo.terminal(["file", "show", "-r", revset, "src/hello.txt"])).toBe("hello");
  const handled = one.engine.state().messages.find((message) => message.from === "user");
  expect(handled?.handled).toBe(true);
  expect(handled?.at, "it was sent when it was sent, although its change was written again").toBe(sent?.at);
});

test("an interrupting message is read between two requests of the same conversation", async () => {
  fixture = await createFixture({});
  const one = fixture;
  const ofView = ({ role }: { readonly role: string }) => role === "agent-3";
  const release = one.standIn.hold(ofView);
  await one.start();
  await one.until(() => promptsOf(one, "agent-3") > 0);
  const text = "Mind the colours.";
  await one.execute("run.messageWorker", { worker: "agent-3", text });
  await one.execute("run.interruptWorker", { worker: "agent-3" });
  const sent = () => one.engine.state().messages.find((message) => message.from === "user");
  expect(sent()).toMatchObject({ text, handled: false });
  expect(sent()?.delivered).toBeUndefined();
  release();
  await one.until((run) => worker(run, "agent-3")?.status === "done");
  const asked = one.standIn.requests().filter(({ seen }) => ofView(seen));
  const seen = asked.findIndex(({ body }) => JSON.stringify(body).includes("[NOTE] The user writes to you"));
  // The answer that it waited for was the first; with the next request it is told, and its task is the same.
  expect(asked[seen]?.seen).toMatchObject({ turns: 1, opening: asked[0]?.seen.opening });
  expect(JSON.stringify(asked[seen]?.body)).toContain(text);
  expect(sent()).toMatchObject({ handled: true, delivered: [{ worker: "agent-3" }] });
}, 300_000);

test("an agent whose model failed waits, restarts, is undone or is given up; the run continues", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  // What passes by itself is waited out; this does not.
  const error = { type: "invalid_request_error", message: "messages.1: this cannot be read" };
  const answer = { status: 400, body: { type: "error", error } };
  const alone = (role: string, tries: number) =>
    Array.from({ length: tries }, () => ({ kind: "refused", answer, role, turns: 1 }) as const);
  fixture = await createFixture({ faults: [...alone("agent-1", 1), ...alone("agent-3", 4)] });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null, trouble: () => null };
  await one.start();
  const seen = new Set<string>();
  const troubleOf = async (name: string) => {
    const isIt = (item: InboxItem) => item.kind === "trouble" && item.worker === name && !seen.has(item.id);
    await one.until((_, inbox) => inbox.some(isIt));
    const card = one.engine.state().inbox.find(isIt);
    seen.add(card?.id ?? "");
    if (!card) throw new Error(`${name} has no trouble.`);
    return card;
  };
  const first = await troubleOf("agent-3");
  await expect(
    one.execute("inbox.answer", { ...first, decision: { kind: "reject", reason: "" } }),
    "one agent's trouble does not end the run",
  ).rejects.toMatchObject({ remedy: expect.stringContaining("hox stop") });
  await one.execute("inbox.answer", {
    ...first,
    decision: { kind: "retry", words: "Mind the gap." },
  });
  await one.execute("inbox.answer", { ...(await troubleOf("agent-3")), decision: { kind: "pause" } });
  expect(one.engine.state().messages).toContainEqual(
    expect.objectContaining({ to: "O-A-1/agent-3", text: "Mind the gap." }),
  );
  await one.until((run) => worker(run, "agent-3")?.activity === "paused by you");
  await one.execute("inbox.answer", {
    ...(await troubleOf("agent-1")),
    decision: { kind: "abandon" },
  });
  await one.until((run) => run.plan?.tasks.map(({ id }) => id).join() === "api,view");
  expect(worker(one.engine.state().run, "agent-1")?.status).toBe("abandoned");

  await one.execute("run.resumeWorker", { worker: "agent-3" });
  await troubleOf("agent-3");
  await one.execute("run.retryWorker", { worker: "agent-3" });
  const last = await troubleOf("agent-3");
  const view = worker(one.engine.state().run, "agent-3");
  await one.execute("run.undoWorker", { worker: "agent-3", afterwards: "restart" });
  const run = await one.until((now) => worker(now, "agent-3")?.status === "done");
  expect(one.engine.state().inbox.some((item) => item.id === last.id)).toBe(false);
  expect(worker(run, "agent-3")?.iteration).toBeGreaterThan(view?.iteration ?? 0);
  expect(await one.repo.terminal(["file", "show", "-r", view?.changeId ?? "", "src/view.txt"])).toBe(
    "shows users",
  );
});
