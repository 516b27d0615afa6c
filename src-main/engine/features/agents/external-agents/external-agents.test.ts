import { execa } from "execa";
import { expect, onTestFinished, test, vi } from "vitest";
import type { InboxItem, ItemOf } from "#shared/contract/cards.ts";
import { createSandbox } from "../../../../tools/sandbox/sandbox.ts";
import {
  externalAgentFiles,
  externalAgentScript,
  project,
  reportsStore,
  type Step,
} from "../../../testing/external-agent-script.ts";
import { call } from "../../../testing/merge-request-script.ts";
import { createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

/** A request to the model as the stand-in of the provider answers it. */
const asksModel: Step = {
  model: "/v1/messages",
  body: {
    model: "claude-sonnet-5-5",
    max_tokens: 100,
    stream: true,
    system: "Hox-Role: agent-1",
    messages: [{ role: "user", content: "What is a store?" }],
  },
};

const open = (steps: readonly (readonly Step[])[], more?: string): Promise<Fixture> =>
  createFixture({
    script: externalAgentScript,
    files: externalAgentFiles(steps, more),
    workflow: "auto",
    sandbox: () => createSandbox({ allowUnsandboxed: false, readable: [project] }),
  });

const models = { agent: "scripted/claude-sonnet-5-5" };

test("an agent of another make works on a task: its files, its model requests and its report are those of the worker", async () => {
  const steps = [
    { content: "Write the store", status: "in_progress", priority: "high" },
    { content: "Run the check", status: "pending", priority: "low" },
  ];
  const fixture = await open([
    [
      asksModel,
      { plan: steps },
      { say: "I write the store." },
      { write: "src/store.txt", text: "the store BROKEN\n" },
    ],
    [{ write: "src/store.txt", text: "the store\n" }, reportsStore],
  ]);
  // Named as the run's model it is meant for agents.
  await fixture.start({ model: models.agent });
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null, model: "claude-sonnet-5-5" });
  expect(await fixture.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toBe("the store");
  const agent = run.workers.find(({ name }) => name === "agent-1");
  // The check failed after its first turn and sent it into a second one.
  expect(agent).toMatchObject({ iteration: 2, model: "scripted/claude-sonnet-5-5" });
  // What it plans is its list of steps, and its calls are counted.
  expect(agent?.todos.map(({ content, status }) => `${status}: ${content}`)).toEqual([
    "in_progress: Write the store",
    "pending: Run the check",
  ]);
  expect(agent?.toolCalls).toBeGreaterThan(0);
  expect(agent?.agent).toMatchObject({ label: "scripted", capabilities: { fork: false, mcpHttp: true } });
  expect(run.budget.byWorker["agent-1"]).toMatchObject({ requests: 1, microDollars: 100 });
  expect(fixture.standIn.unmatched()).toEqual([]);
});

test("closing the app ends its turn, and it continues in the same session", {
  tags: ["long"],
}, async () => {
  const fixture = await open([
    [{ write: "src/store.txt", text: "the store\n" }, { wait: "go" }],
    [{ write: "src/more.txt", text: "more\n" }, reportsStore],
  ]);
  await fixture.start({ models });
  await fixture.until((run) =>
    run.workers.some(({ name, state }) => name === "agent-1" && state === "tools"),
  );
  // What would copy its conversation says so.
  const copied = "its conversation can’t be copied.";
  const at = { worker: "agent-1", iteration: 1, turn: 1 };
  await expect(fixture.execute("attempt.fork", { ...at, words: "", model: null })).rejects.toThrow(
    `scripted can’t be forked: ${copied}`,
  );
  const { id } = await fixture.execute("run.ask", { who: "agent-1", question: "Why?" });
  const { end } = await fixture.execute("run.askMore", { id, after: 0 });
  expect(end).toMatchObject({ kind: "failed", message: `scripted can’t answer on the side: ${copied}` });
  await fixture.reopen();
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(run.workers.find(({ name }) => name === "agent-1")).toMatchObject({ iteration: 1 });
  for (const path of ["src/store.txt", "src/more.txt"])
    expect(await fixture.repo.terminal(["file", "show", "-r", "main", path])).not.toBe("");
});

test("the key of its provider is nowhere but in the host: no file, journal, transcript or event has it", async () => {
  const searches = "env; cat /proc/*/environ /proc/*/cmdline; cat ~/* ~/.*/*; echo searched";
  const fixture = await open([
    [asksModel, { run: `(${searches}) > found.txt 2>&1; cat found.txt` }, reportsStore],
  ]);
  const { apiKey: canary } = fixture.standIn;
  vi.stubEnv("HOX_TEST_API_KEY", canary);
  onTestFinished(() => void vi.unstubAllEnvs());
  await fixture.start({ models });
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
  expect(JSON.stringify([fixture.events, fixture.stream])).not.toContain(canary);
  await fixture.engine.close();
  const search = (text: string) =>
    execa("grep", ["-a", "-r", "-l", text, fixture.repo.folder], { reject: false });
  expect((await search(canary)).stdout).toBe("");
  expect((await search("searched")).stdout).toContain("state/");
});

test("its budget stops it before its next request, and it continues once that is extended", async () => {
  const fixture = await open(
    [[asksModel, asksModel, { hang: true }], [reportsStore]],
    "[loop_defaults]\nmax_tokens = 10\n",
  );
  fixture.answers = { ...fixture.answers, budget: () => null };
  await fixture.start({ models });
  const card = await fixture.card("budget");
  const ofAgent = () => fixture.standIn.requests().filter(({ seen }) => seen.role === "agent-1").length;
  expect(ofAgent()).toBe(1);
  await fixture.execute("inbox.answer", {
    ...card,
    decision: { kind: "extend", tokens: 100_000, microDollars: null },
  });
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(ofAgent()).toBe(1);
});

test("an agent that sees no pictures is told so in place of an attached one", {
  tags: ["long"],
}, async () => {
  const fixture = await open([
    [
      { mcp: "read_attachment", input: { name: "sketch.png" } },
      { write: "src/store.txt", text: "the store\n" },
      reportsStore,
    ],
  ]);
  const data =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await fixture.start({ models, attachments: [{ name: "sketch.png", data }] });
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
  await fixture.engine.close();
  const noted = await execa("grep", ["-a", "-r", "-h", "^mcp ", fixture.repo.folder], { reject: false });
  expect(noted.stdout).toContain("sketch.png is a picture, and scripted sees no attached images.");
  expect(noted.stdout).not.toContain(data.slice(0, 40));
});

test("a task is reassigned from Hox's own agent to one of another make, with its files", async () => {
  const fixture = await createFixture({
    script: {
      ...externalAgentScript,
      routes: {
        ...externalAgentScript.routes,
        "agent-1": [
          {
            name: "waits",
            // Until the task is taken from it, whenever that is.
            steps: [
              write("src/store.txt", "half\n"),
              ...Array.from({ length: 100 }, () => call("run_command", { command: "sleep 1" })),
            ],
          },
        ],
      },
    },
    files: externalAgentFiles([[{ write: "src/store.txt", text: "the store\n" }, reportsStore]]),
    workflow: "auto",
    sandbox: () => createSandbox({ allowUnsandboxed: false, readable: [project] }),
  });
  await fixture.start();
  await fixture.until((run) =>
    run.workers.some(({ name, state }) => name === "agent-1" && state === "tools"),
  );
  await fixture.execute("run.reassignWorker", {
    worker: "agent-1",
    model: models.agent,
    brief: "Finish it.",
  });
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(run.workers.find(({ name }) => name === "agent-2")).toMatchObject({
    model: models.agent,
    status: "done",
  });
  expect(await fixture.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toBe("the store");
});

test("choices with which no agent could work are refused before a run starts, with what to do", async () => {
  const fixture = await open([]);
  const start = (chosen: Record<string, string>) => fixture.start({ models: chosen });
  await expect(start({ orchestrator: models.agent })).rejects.toMatchObject({
    message: expect.stringContaining("scripted can't be the orchestrator"),
    remedy: expect.stringContaining("--model scripted/<model>"),
  });
  await expect(start({ agent: "codex" })).rejects.toMatchObject({
    message: "Codex has no model.",
    remedy: expect.stringContaining("codex/<model>"),
  });
  await expect(start({ agent: "scripted/no-such-model" })).rejects.toThrow("no-such-model");
  await expect(start({ agent: "unknown/claude-sonnet-5-5" })).rejects.toThrow("unknown/claude-sonnet-5-5");
});

test("two agents of different make try a task as its proposed plan was edited, also after a restart, and one is chosen", {
  tags: ["long"],
}, async () => {
  const fixture = await createFixture({
    script: {
      ...externalAgentScript,
      routes: {
        ...externalAgentScript.routes,
        "agent-1": [{ name: "writes", steps: [write("src/store.txt", "own\n"), done("The own way.")] }],
      },
    },
    files: externalAgentFiles([[{ write: "src/store.txt", text: "another\n" }, reportsStore]]),
    workflow: "auto",
    sandbox: () => createSandbox({ allowUnsandboxed: false, readable: [project] }),
  });
  fixture.answers = { ...fixture.answers, plan: () => null, attempts: () => null };
  await fixture.start();
  const planCard = async () => (await fixture.card("plan")) as ItemOf<"plan">;
  const [task] = (await planCard()).plan.tasks;
  const edit = (agents: readonly string[]) =>
    fixture.execute("plan.amend", {
      edits: [{ kind: "change", task: task?.id ?? "", patch: { agents } }],
    });
  const problems = async () =>
    (await fixture.execute("plan.check", { plan: (await planCard()).plan })).problems;
  await edit(["codex"]);
  expect(await problems()).toContainEqual(
    expect.objectContaining({
      severity: "fatal",
      kind: "agent",
      text: expect.stringContaining("codex/<model>"),
    }),
  );
  await edit(["", models.agent]);
  expect((await problems()).filter(({ severity }) => severity === "fatal")).toEqual([]);
  await fixture.reopen();
  await fixture.execute("inbox.answer", { ...(await planCard()), decision: { kind: "approve" } });
  const card = (await fixture.card("attempts")) as ItemOf<"attempts">;
  expect(card.attempts).toMatchObject([
    { worker: "agent-1", model: "claude-sonnet-5-5", summary: "The own way." },
    { worker: "agent-2", model: models.agent, summary: "The store is written." },
  ]);
  await expect(edit(["codex/gpt-5.5", models.agent])).rejects.toThrow("its agents can no longer change");
  await fixture.execute("inbox.answer", { ...card, decision: { kind: "choose", worker: "agent-2" } });
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(run.plan?.tasks[0]?.agents).toEqual(["", models.agent]);
  expect(await fixture.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toBe("another");
});

test("a permission that the user answers in their own words is refused, and the agent reads the words", async () => {
  const command = "rm -rf build";
  const fixture = await open(
    [
      [{ ask: "Delete the build", call: { kind: "execute", rawInput: { command } } }],
      [{ write: "src/store.txt", text: "the store\n" }, reportsStore],
    ],
    'permissions = "ask"\n',
  );
  const asked: InboxItem[] = [];
  fixture.answers = {
    ...fixture.answers,
    "align-request": (item) => {
      asked.push(item);
      return { kind: "answer", text: "Keep the build, it is needed for the release." };
    },
  };
  await fixture.start({ models });
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
  expect(asked).toMatchObject([{ question: "May I do this? Delete the build", call: { command } }]);
  await fixture.engine.close();
  const notes = async (words: string): Promise<string> =>
    (await execa("grep", ["-a", "-r", "-h", words, `${fixture.repo.folder}/state`], { reject: false }))
      .stdout;
  expect(await notes("^permission ")).toBe("permission reject_once");
  expect(await notes("^prompt .*Keep the build, it is needed for the release")).not.toBe("");
});

test("a permission that was given before Hox was closed counts for no other call", async () => {
  const fixture = await open(
    [
      [{ ask: "Run the checks" }, { write: "src/first.txt", text: "first\n" }, { wait: "go" }],
      [{ ask: "Delete the build" }, { write: "src/store.txt", text: "the store\n" }, reportsStore],
    ],
    'permissions = "ask"\n',
  );
  const asked: string[] = [];
  fixture.answers = {
    ...fixture.answers,
    "align-request": (item) => {
      asked.push((item as ItemOf<"align-request">).question);
      return { kind: "answer", text: asked.length === 1 ? "allow_once" : "reject_once" };
    },
  };
  await fixture.start({ models });
  await fixture.until((run) =>
    run.workers.some(({ name, state }) => name === "agent-1" && state === "tools"),
  );
  await fixture.reopen();
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
  expect(asked).toEqual(["May I do this? Run the checks", "May I do this? Delete the build"]);
});
