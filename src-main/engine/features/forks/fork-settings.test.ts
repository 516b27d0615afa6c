import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { clone, fork, forking, hive, last, requestWith, results } from "../../testing/fork-script.ts";
import { createFixture, type Fixture, over } from "../../testing/run-fixture.ts";
import { calmAgents, exampleFiles } from "../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

test("a fork that takes too long is answered as an error of the same shape", {
  tags: ["long"],
  timeout: 180_000,
}, async () => {
  fixture = await createFixture({
    script: forking(
      [fork("Sleep")],
      clone("Sleep", { calls: [{ tool: "run_command", input: { command: "sleep 30" } }] }, last("Awake.")),
    ),
    files: {
      ...exampleFiles,
      ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[hive]\ntimeout_seconds = 2\n`,
    },
  });
  const one = fixture;
  await one.start();
  const run = await one.until(over, 120_000);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(results(one)).toMatchObject([
    {
      status: "error",
      error: "It was not done after 2 s (hive.timeout_seconds).",
      metadata: { agent: "clone", usage: { input_tokens: expect.any(Number) } },
    },
  ]);
  expect(run.workers.find(({ role }) => role === "fork")?.status).toBe("abandoned");
});

test("a named agent begins fresh with what its file says, and a file with a mistake is no agent", {
  tags: ["long"],
  timeout: 180_000,
}, async () => {
  const prompts: string[] = [];
  fixture = await createFixture({
    script: {
      ...forking([fork("Count the words of the contract.", "counter"), fork("Shout.", "shouter")]),
      routes: {
        ...forking([fork("Count the words of the contract.", "counter"), fork("Shout.", "shouter")]).routes,
        "agent-1-fork-1": [
          {
            name: "counts",
            steps: [
              (seen) => {
                prompts.push(seen.system, seen.prompt);
                return { calls: [{ tool: "read_file", input: { path: "src/contract.txt" } }] };
              },
              last("Four words."),
            ],
          },
        ],
        "agent-1-fork-2": [{ name: "refuses", steps: [{ say: "I do not shout.", stop: "refusal" }] }],
      },
    },
    files: {
      ...exampleFiles,
      "agents/counter.md":
        "---\nname: counter\ndescription: Counts words\ntools: [read_file, fork_subagent]\nmodel: claude-haiku-5-5\n---\n\nYou count words and nothing else.\n",
      "agents/broken.md": "---\nname: broken\ntools: [fly]\n---\n\nNothing.\n",
      ".claude/agents/shouter.md":
        "---\nname: shouter\ndescription: Shouts\ntools: Read, Grep\nmodel: inherit\n---\n\nYou shout.\n",
    },
  });
  const one = fixture;
  await one.start();
  const run = await one.until(over, 120_000);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  const [system = "", prompt = ""] = prompts;
  expect(system).toMatch(/^You count words and nothing else\.[\s\S]*Hox-Role: agent-1-fork-1$/u);
  expect(prompt).toContain("Count the words of the contract.");
  const asked = requestWith(one, "Count the words of the contract.");
  expect(asked.seen.tools).toEqual(["read_file", "fork_subagent"]);
  expect(asked.seen.model).toBe("claude-haiku-5-5");
  // Both are told to whoever may begin them, and the one that is another tool's is said to be.
  const tool = one.standIn.requests().find(({ seen }) => seen.role === "agent-1")?.body;
  expect(JSON.stringify(tool)).toContain("counter (Counts words); shouter (Shouts)");
  const notices = one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  expect(notices).toContainEqual(expect.stringMatching(/^agents\/broken\.md:\d: /u));
  expect(notices).toContainEqual(expect.stringContaining("shouter, read from .claude/agents"));
  expect(results(one)).toMatchObject([
    { status: "success", content: "Four words.", metadata: { agent: "counter", model: "claude-haiku-5-5" } },
    { status: "error", metadata: { agent: "shouter" } },
  ]);
  // What both cost is known, also of one that came to nothing.
  expect(run.workers.find(({ name }) => name === "agent-1-fork-1")?.fork).toMatchObject({
    agent: "counter",
    cachedShare: 0,
  });
});

test("agents stand where a person says, with the model that is said for all, and results stay as files", {
  tags: ["long"],
  timeout: 180_000,
}, async () => {
  const calls = [fork("Count.", "counter")];
  fixture = await createFixture({
    script: {
      ...forking(calls),
      routes: {
        ...forking(calls).routes,
        "agent-1-fork-1": [{ name: "counts", steps: [last("Four words.")] }],
      },
    },
    files: {
      ...hive('agents_dir = "crew/ours"', 'default_model = "claude-haiku-5-5"', "cleanup_temp_files = false"),
      "crew/ours/counter.md": "---\nname: counter\ndescription: Counts words\n---\n\nYou count.\n",
      "agents/watchmaker.md": "---\nname: watchmaker\ndescription: Nobody's\n---\n\nYou wait.\n",
    },
  });
  const one = fixture;
  await one.start();
  const run = await one.until(over, 120_000);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(requestWith(one, "Count.").seen.model).toBe("claude-haiku-5-5");
  const [heard] = results(one);
  expect(heard).toMatchObject({
    status: "success",
    metadata: { agent: "counter", model: "claude-haiku-5-5" },
  });
  const file = join(one.repo.folder, "state", "forks", run.id, "agent-1-fork-1.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(heard);
  const tools = JSON.stringify(one.standIn.requests().find(({ seen }) => seen.role === "agent-1")?.body);
  expect(tools).not.toContain("watchmaker");
});

test("where forks are switched off nobody is offered one", {
  tags: ["long"],
  timeout: 180_000,
}, async () => {
  fixture = await createFixture({ script: calmAgents, files: hive("enabled = false") });
  const one = fixture;
  await one.start();
  expect(await one.until(over, 120_000)).toMatchObject({ stage: "complete", failure: null });
  const asked = one.standIn
    .requests()
    .filter(({ seen }) => /^(?:agent-\d|O-A-1|integrator)$/u.test(seen.role));
  expect(asked.length).toBeGreaterThan(4);
  expect(asked.filter(({ seen }) => seen.tools.includes("fork_subagent"))).toEqual([]);
});
