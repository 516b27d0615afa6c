import { expect, test } from "vitest";
import { worker } from "../../../testing/read-run.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import {
  done,
  neverDone,
  patientFiles,
  rewrite,
  threeAgents,
  write,
} from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

const successor = (prompts: string[]) => ({
  ...threeAgents,
  routes: {
    ...threeAgents.routes,
    "agent-3": neverDone,
    "agent-4": [
      {
        name: "takes over",
        prompt: "## Handed over by agent-3",
        steps: [
          (seen: { prompt: string; model: string }) => {
            prompts.push(`${seen.model}\n${seen.prompt}`);
            return write("src/second.txt", "the second's\n");
          },
          write("src/index.txt", "the view\n"),
          ...rewrite("src/view.txt", "shows users\n"),
          done("Brought it to an end."),
        ],
      },
    ],
  },
});

test("a task goes to a fresh agent with another model: the work stays, the assignment moves, the instructions arrive", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const prompts: string[] = [];
  fixture = await createFixture({ files: patientFiles, script: successor(prompts) });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  const before = await one.until((run) => (worker(run, "agent-3")?.iteration ?? 0) >= 1);
  const changeId = worker(before, "agent-3")?.changeId ?? "";
  await one.execute("run.messageWorker", { worker: "agent-3", text: "Mind the colours." });
  await expect(
    one.execute("run.reassignWorker", { worker: "agent-3", model: "no-such-model", brief: "" }),
  ).rejects.toThrow(/no-such-model/);
  expect(worker(one.engine.state().run, "agent-3")?.held).toBe(false);
  const { worker: next } = await one.execute("run.reassignWorker", {
    worker: "agent-3",
    model: "claude-haiku-5-5",
    brief: "Use the palette.",
  });
  expect(next).toBe("agent-4");
  expect(worker(one.engine.state().run, "agent-3")).toMatchObject({
    replacedBy: "agent-4",
    changeId: null,
    status: "abandoned",
    workspace: null,
  });
  expect(worker(one.engine.state().run, "agent-4")).toMatchObject({
    replaces: "agent-3",
    changeId,
    model: "claude-haiku-5-5",
  });
  const bookmarks = await one.repo.terminal(["bookmark", "list", "-r", changeId, "-T", 'name ++ "\\n"']);
  expect(lines(bookmarks)).toEqual(["O-A-1/agent-4"]);
  const description = await one.repo.terminal(["log", "--no-graph", "-r", changeId, "-T", "description"]);
  expect(description).toContain("Hox-Agent: agent-4");
  const workspaces = await one.repo.terminal(["workspace", "list"]);
  expect(workspaces).not.toContain("agent-3:");
  for (const refused of [
    () => one.execute("run.reassignWorker", { worker: "agent-3", model: null, brief: "" }),
    () => one.execute("run.pauseWorker", { worker: "agent-3" }),
  ])
    await expect(refused()).rejects.toMatchObject({ remedy: expect.stringContaining("agent-4") });

  await one.reopen();
  const run = await one.until((now) => worker(now, "agent-4")?.status === "done");
  expect(prompts[0]).toMatch(/^claude-haiku-5-5\n/u);
  for (const words of [
    "Use the palette.",
    "Mind the colours.",
    "- src/view.txt",
    "## Handed over by agent-3",
  ])
    expect(prompts[0]).toContain(words);
  expect(worker(run, "agent-4")?.spent.requests).toBeGreaterThan(0);
  one.answers = agreeable;
  await one
    .card("align-request")
    .then((card) =>
      one.execute("inbox.answer", { ...card, decision: { kind: "answer", text: "user_id, please" } }),
    );
  const end = await one.until(over);
  expect(end.stage).toBe("complete");
  expect(await one.repo.terminal(["file", "show", "-r", "main", "src/second.txt"])).toBe("the second's");
  expect(one.engine.state().messages.find((message) => message.from === "user")?.handled).toBe(true);
});

test("a replaced agent's question is withdrawn and passed to the next agent, and its card cannot be answered", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const prompts: string[] = [];
  const base = successor(prompts);
  fixture = await createFixture({
    script: {
      ...base,
      routes: {
        ...base.routes,
        "agent-3": threeAgents.routes["agent-3"] ?? [],
        "agent-4": [
          {
            name: "takes over",
            prompt: "## Handed over by agent-2",
            steps: [
              (seen: { prompt: string }) => {
                prompts.push(seen.prompt);
                return write("src/api.txt", "GET /users/:userId\n");
              },
              done("The API."),
            ],
          },
        ],
      },
    },
  });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  const card = await one.card("align-request");
  await one.execute("run.reassignWorker", { worker: "agent-2", model: null, brief: "" });
  await expect(
    one.execute("inbox.answer", { ...card, decision: { kind: "answer", text: "late" } }),
  ).rejects.toThrow(/already been answered/);
  const end = await one.until(over);
  expect(end).toMatchObject({ stage: "complete", failure: null });
  expect(prompts[0]).toContain("userId or user_id?");
});
