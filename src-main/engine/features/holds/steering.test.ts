import { afterEach, expect, test, vi } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Status } from "#shared/domain/graph-words/metadata.ts";
import { createSandbox } from "../../../tools/sandbox/sandbox.ts";
import { EngineRefusal, StaleAnswer } from "../../engine-errors.ts";
import { agreeable, createFixture, type Fixture, isJoined, over } from "../../testing/run-fixture.ts";
import {
  done,
  exampleFiles,
  patientFiles,
  plan,
  write as scribble,
  threeAgents,
} from "../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("pause holds every model, resume goes on, stop saves what was written", async () => {
  fixture = await createFixture({ pace: 6 });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  await one.until(
    (run) => run.stage === "executing" && run.phase === 1 && run.workers.some((w) => w.state === "tools"),
  );
  await one.engine.execute("run.pause");
  await one.until((run) => run.paused === "paused");
  const asked = one.standIn.requests().length;
  await later(400);
  expect(one.standIn.requests().length).toBe(asked);

  await one.engine.execute("run.resume");
  await one.until((run) => run.workers.some((w) => w.name === "agent-3" && w.status === "done"));
  await one.engine.execute("run.stop");
  const run = await one.until(over);
  expect(run.stage).toBe("stopped");
  expect(one.engine.state().inbox).toEqual([]);
  const view = run.workers.find((w) => w.name === "agent-3");
  expect(await one.repo.terminal(["file", "show", "-r", view?.changeId ?? "", "src/view.txt"])).toBe(
    "shows users",
  );
  await expect(one.engine.execute("run.pause")).rejects.toBeInstanceOf(EngineRefusal);
  // A new run takes over names and bookmarks of the one that was stopped, and its agents work in folders of those names.
  one.answers = agreeable;
  await one.start();
  const agents = (next: RunView) => next.workers.filter(({ role }) => role === "agent");
  const atWork = (next: RunView) =>
    agents(next).every(({ workspace }) => workspace !== null) &&
    agents(next).some(({ status }) => status === "done");
  const second = await one.until((next) => next.id !== run.id && agents(next).length === 3 && atWork(next));
  expect(second.failure).toBeNull();
  expect(agents(second).map(({ name }) => name)).toEqual(["agent-1", "agent-2", "agent-3"]);
}, 300_000);

test("the budget's hard stop saves the work, asks, and goes on when extended", {
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
  await one.engine.execute("inbox.answer", {
    ...card,
    decision: { kind: "extend", tokens: null, microDollars: null },
  });
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", paused: "no" });
});

test("a plan is edited by the user; one without integration is refused, wherever it comes from", async () => {
  let proposals = 0;
  fixture = await createFixture({
    script: {
      ...threeAgents,
      routes: {
        ...threeAgents.routes,
        "O-A-1": (threeAgents.routes["O-A-1"] ?? []).map((scene) =>
          scene.name === "plan"
            ? {
                ...scene,
                steps: [
                  (seen) => {
                    proposals += 1;
                    const again = seen.prompt.includes("has no integration phase");
                    return {
                      calls: [
                        {
                          tool: "propose_plan",
                          input: { ...plan, integration: again ? plan.integration : null },
                        },
                      ],
                    };
                  },
                ],
              }
            : scene,
        ),
      },
    },
  });
  const one = fixture;
  one.answers = { ...agreeable, plan: () => null };
  await one.start();
  const card = await one.card("plan");
  expect(proposals).toBe(2);
  if (card.kind !== "plan") throw new Error("not a plan");
  const broken = { ...card.plan, integration: null };
  await expect(
    one.engine.execute("inbox.answer", { ...card, decision: { kind: "approve", plan: broken } }),
  ).rejects.toThrow(/integration/);
  expect(card.plan.budget, "the plan shows what would hold").toEqual({
    tokens: null,
    microDollars: 5_000_000,
  });
  const edited = { ...card.plan, tasks: card.plan.tasks.filter((task) => task.id !== "store") };
  await one.engine.execute("inbox.answer", {
    ...card,
    decision: {
      kind: "approve",
      plan: {
        ...edited,
        budget: { tokens: 4_000_000, microDollars: 9_000_000 },
        tasks: [...edited.tasks].map((task) => ({ ...task, priority: "critical" as const })),
      },
    },
  });
  const run = await one.until((now) => now.stage === "executing");
  expect(run.plan?.tasks.map((task) => task.id)).toEqual(["api", "view"]);
  expect(run.budget).toMatchObject({ limitTokens: 4_000_000, limitMicroDollars: 9_000_000 });
  expect(run.workers.filter((w) => w.role === "agent").map((w) => w.priority)).toEqual([
    "critical",
    "critical",
  ]);
}, 300_000);

test("a card that shows something else by now takes no old answer", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture();
  const one = fixture;
  one.answers = { ...agreeable, land: () => null };
  await one.start();
  const card = await one.card("land");
  const yes = { kind: "approve", bookmark: "main" } as const;
  await expect(
    one.engine.execute("inbox.answer", { ...card, nonce: "guess", decision: yes }),
  ).rejects.toBeInstanceOf(StaleAnswer);
  await expect(
    one.engine.execute("inbox.answer", { ...card, shown: "else", decision: yes }),
  ).rejects.toBeInstanceOf(StaleAnswer);
  await expect(
    one.engine.execute("inbox.answer", { ...card, decision: { kind: "retry" } }),
  ).rejects.toBeInstanceOf(EngineRefusal);
  // Somebody moves the bookmark after the card was shown.
  await one.repo.terminal(["new", "main", "-m", "meanwhile"]);
  await one.repo.terminal(["bookmark", "set", "main", "-r", "@"]);
  await expect(one.engine.execute("inbox.answer", { ...card, decision: yes })).rejects.toBeInstanceOf(
    StaleAnswer,
  );
  const again = await one.card("land");
  expect(again.nonce).not.toBe(card.nonce);
  expect(again).toMatchObject({ brought: { branch: "main", commits: ["meanwhile"], commitCount: 1 } });
  // The branch may be seen to have moved a moment later, and then the card is another one once more.
  await vi.waitFor(
    async () => one.engine.execute("inbox.answer", { ...(await one.card("land")), decision: yes }),
    {
      timeout: 60_000,
      interval: 200,
    },
  );
  expect(await one.until(over)).toMatchObject({ stage: "complete", landed: { bookmark: "main" } });
  const below = ["log", "--no-graph", "-r", "main & description(substring:meanwhile)::", "-T", '"x"'];
  expect(await one.repo.terminal(below)).toBe("x");
});

test("two people write with plain jj during the run, and the queue follows the one who drags", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ pace: 3 });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  await one.until((run) => run.stage === "executing" && run.phase === 1);
  let writing = true;
  let written = 0;
  const person = async (name: string) => {
    for (let turn = 0; writing; turn++) {
      await one.repo.write(`${name}.txt`, `${turn}\n`);
      await one.repo
        .terminal(turn % 3 === 0 ? ["new", "-m", `${name} ${turn}`] : ["describe", "-m", `${name} ${turn}`])
        .catch(() => "");
      written += 1;
      await later(40);
    }
  };
  const people = Promise.all([person("one"), person("two")]).finally(() => {
    writing = false;
  });
  const task = one.engine.state().run?.workers.find((w) => w.name === "agent-2");
  await one.engine.execute("queue.move", {
    changeId: task?.changeId ?? "",
    priority: "critical",
    above: null,
    below: null,
  });
  await one.until((run) => run.workers.find((w) => w.name === "agent-2")?.priority === "critical");
  await one.repo.terminal([
    "describe",
    "--ignore-working-copy",
    "-r",
    task?.changeId ?? "",
    "-m",
    await relabelled(one, task?.changeId ?? ""),
  ]);
  await one.until((run) => run.workers.find((w) => w.name === "agent-2")?.priority === "low");
  const card = await one.card("align-request");
  await one.engine.execute("inbox.answer", { ...card, decision: { kind: "answer", text: "user_id" } });
  await one.until((run) => run.stage === "validating" || over(run));
  writing = false;
  await people;
  const run = await one.until(over);
  expect(written).toBeGreaterThan(10);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  const own = `description(regex:"(?m)^Hox-Run: ${run.id}$")`;
  expect(
    await one.repo.terminal([
      "log",
      "--no-graph",
      "-r",
      `${own} & (divergent() | conflicts())`,
      "-T",
      "change_id",
    ]),
  ).toBe("");
});

const relabelled = async (one: Fixture, change: string): Promise<string> =>
  (
    await one.repo.terminal(["log", "--ignore-working-copy", "--no-graph", "-r", change, "-T", "description"])
  ).replace("Hox-Priority: critical", "Hox-Priority: low");

test("where nothing holds commands in, a person is asked before any runs", async () => {
  let allowed = false;
  fixture = await createFixture({
    sandbox: () => createSandbox({ allowUnsandboxed: allowed, program: null }),
    allowUnsandboxed: async () => {
      allowed = true;
    },
  });
  const one = fixture;
  await one.start();
  const card = await one.card("sandbox");
  expect(one.engine.state().run?.workers.some((w) => w.checks.length > 0)).toBe(false);
  await one.engine.execute("inbox.answer", { ...card, decision: { kind: "approve" } });
  await one.until((run) => run.workers.some((w) => w.checks.some(({ outcome }) => outcome === "passed")));
}, 300_000);

test("a person's hand on the graph is refused where it would break something", async () => {
  fixture = await createFixture();
  const one = fixture;
  const root = "zzzzzzzzzzzz";
  await expect(
    one.engine.execute("change.describe", { changeId: root, description: "x" }),
  ).rejects.toMatchObject({
    name: "EngineRefusal",
    remedy: expect.any(String),
  });
  await expect(
    one.engine.execute("change.describe", { changeId: "kkkkkkkk", description: "x" }),
  ).rejects.toMatchObject({ remedy: expect.any(String) });
  const [first] = await one.repo.repository.query("main");
  await expect(
    one.engine.execute("change.rebase", { changeId: first?.changeId ?? "", onto: first?.changeId ?? "" }),
  ).rejects.toThrow(/onto itself/);
  await expect(
    one.engine.execute("queue.move", {
      changeId: first?.changeId ?? "",
      priority: "high",
      above: null,
      below: null,
    }),
  ).rejects.toThrow(/Only tasks/);
  await expect(one.engine.execute("run.push", { bookmark: "main", moves: [] })).rejects.toMatchObject({
    remedy: expect.stringContaining("remote add"),
  });
  await expect(one.start({ onto: "all()" })).rejects.toThrow(/several changes/);
  await expect(one.start({ model: "no-such-model" })).rejects.toThrow(/no-such-model/);
  expect(one.engine.state().runs).toEqual([]);
}, 300_000);

test("a task that a person abandons is left out, and its agent's question is taken back", async () => {
  fixture = await createFixture();
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  await one.card("align-request");
  const task = one.engine.state().run?.workers.find((w) => w.name === "agent-2");
  await one.repo.terminal(["abandon", "--ignore-working-copy", task?.changeId ?? ""]);
  const run = await one.until(isJoined);
  expect(run.workers.find((w) => w.name === "agent-2")?.status).toBe("abandoned");
  // What the others made is brought together without it.
  const files = await one.repo.terminal(["file", "list", "-r", run.integration ?? ""]);
  expect(files).toContain("src/view.txt");
  expect(files).not.toContain("src/api.txt");
}, 300_000);

test("a status that a person writes is carried out: blocked waits, open goes on, done is checked, abandoned goes", async () => {
  let tries = 0;
  fixture = await createFixture({
    files: patientFiles,
    script: {
      ...threeAgents,
      routes: {
        ...threeAgents.routes,
        // Never done, and never at a standstill.
        "agent-3": [
          {
            name: "tries again",
            steps: [
              () => {
                tries += 1;
                return scribble("src/view.txt", `BROKEN ${tries}\n`);
              },
              done("Another try."),
            ],
          },
        ],
      },
    },
  });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  const worker = (run: RunView | null, name: string) => run?.workers.find((w) => w.name === name);
  const write = (name: string, status: Status) =>
    one.engine.execute("change.setMetadata", {
      changeIds: [worker(one.engine.state().run, name)?.changeId ?? ""],
      patch: { status },
    });
  await one.card("align-request");
  // In a terminal, while its agent waits for an answer.
  const changeId = worker(one.engine.state().run, "agent-2")?.changeId ?? "";
  await vi.waitFor(
    () => one.repo.terminal(["describe", changeId, "-m", "Write the api\n\nHox-Status: blocked"]),
    { timeout: 60_000, interval: 500 },
  );
  await one.until((run) => worker(run, "agent-2")?.held === true);
  expect(worker(one.engine.state().run, "agent-2")?.status).toBe("blocked");
  await expect(write("agent-2", "in_progress")).rejects.toThrow(/the run says itself/u);
  await write("agent-2", "open");
  await one.until((run) => worker(run, "agent-2")?.held === false);

  // Its check fails, so it is not done, and its agent has it again.
  await one.until((run) => worker(run, "agent-3")?.status === "in_progress");
  await write("agent-3", "done");
  await one.until(() =>
    one.events.some((event) => event.kind === "notice" && /cannot count as done: /u.test(event.text)),
  );
  await one.until((run) => worker(run, "agent-3")?.byHand === null);
  await write("agent-3", "abandoned");
  await one.until((run) => worker(run, "agent-3")?.status === "abandoned");
  await one.until((run) => run.plan?.tasks.map(({ id }) => id).join() === "store,api");

  await one.until((run) => worker(run, "agent-1")?.status === "done");
  await expect(write("agent-1", "abandoned")).rejects.toMatchObject({
    remedy: expect.stringContaining("hox undo agent-1"),
  });

  await write("agent-2", "done");
  const run = await one.until((now) => worker(now, "agent-2")?.status === "done");
  expect(run.workers.find((w) => w.name === "agent-2")?.byHand).toBeNull();
}, 300_000);

test("with auto_advance off a phase that is done waits for resume", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({
    files: {
      ...exampleFiles,
      ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[loop_defaults]\nauto_advance = false\n`,
    },
  });
  const one = fixture;
  await one.start();
  const contracts = await one.until((run) => run.paused === "paused");
  expect(contracts).toMatchObject({ stage: "executing", phase: 0 });
  await one.engine.execute("run.resume");
  const tasks = await one.until((run) => run.phase === 1 && run.paused === "paused");
  expect(tasks.workers.filter((w) => w.role === "agent").map((w) => w.status)).toEqual([
    "done",
    "done",
    "done",
  ]);
  await one.engine.execute("run.resume");
  expect((await one.until(over)).stage).toBe("complete");
});
