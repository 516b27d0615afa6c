import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  clone,
  fork,
  forkedAndDone,
  forking,
  hive,
  last,
  requestWith,
  results,
} from "../../../testing/fork-script.ts";
import { createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { calmAgents } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const shouter =
  "---\nname: shouter\ndescription: Shouts\ntools: Read, Grep\nmodel: inherit\n---\n\nYou shout.\n";
/** With more time than a clone, so that a busy machine does not end it. */
const counter =
  "---\nname: counter\ndescription: Counts words\ntools: [read_file, fork_subagent]\nlimits:\n  timeout_seconds: 300\n---\n\nYou count words and nothing else.\n";

test("a named agent starts fresh with its file's prompt, a clone ends at its time limit, and results are written to files if configured", async () => {
  const prompts: string[] = [];
  const calls = [
    fork("Sleep"),
    fork("Count the words of the contract.", "counter"),
    fork("Shout.", "shouter"),
  ];
  const script = forking(
    calls,
    clone("Sleep", { calls: [{ tool: "run_command", input: { command: "sleep 30" } }] }, last("Awake.")),
  );
  fixture = await createFixture({
    workflow: "auto",
    script: {
      ...script,
      routes: {
        ...script.routes,
        "agent-1-fork-2": [
          {
            name: "counts",
            steps: [
              (seen) => {
                prompts.push(seen.system, seen.prompt);
                return { calls: [{ tool: "read_file", input: { path: "readme.md" } }] };
              },
              last("Four words."),
            ],
          },
        ],
        "agent-1-fork-3": [{ name: "refuses", steps: [{ say: "I do not shout.", stop: "refusal" }] }],
      },
    },
    files: {
      ...hive(
        'agents_dir = "crew/ours"',
        'default_model = "claude-haiku-5-5"',
        "cleanup_temp_files = false",
        "timeout_seconds = 2",
      ),
      "crew/ours/counter.md": counter,
      "crew/ours/broken.md": "---\nname: broken\ntools: [fly]\n---\n\nNothing.\n",
      "agents/watchmaker.md": "---\nname: watchmaker\ndescription: Nobody's\n---\n\nYou wait.\n",
      ".claude/agents/shouter.md": shouter,
    },
  });
  const one = fixture;
  await one.start();
  const run = await one.until(forkedAndDone);
  const [system = "", prompt = ""] = prompts;
  expect(system).toMatch(/^You count words and nothing else\.[\s\S]*Hox-Role: agent-1-fork-2$/u);
  expect(prompt).toContain("Count the words of the contract.");
  const asked = requestWith(one, "Count the words of the contract.");
  expect(asked.seen.tools).toEqual(["read_file", "fork_subagent"]);
  expect(asked.seen.model).toBe("claude-haiku-5-5");
  // Both are told to whoever may begin them, and the one that is another tool's is said to be.
  const tool = JSON.stringify(one.standIn.requests().find(({ seen }) => seen.role === "agent-1")?.body);
  expect(tool).toContain("counter (Counts words); shouter (Shouts)");
  expect(tool).not.toContain("watchmaker");
  const notices = one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  expect(notices).toContainEqual(expect.stringMatching(/^crew\/ours\/broken\.md:\d: /u));
  expect(notices).toContainEqual(expect.stringContaining("from .claude/agents: shouter"));
  const heard = results(one);
  expect(heard).toMatchObject([
    {
      status: "error",
      error: "It was not done after 2 s (hive.timeout_seconds).",
      metadata: { agent: "clone", usage: { input_tokens: expect.any(Number) } },
    },
    { status: "success", content: "Four words.", metadata: { agent: "counter", model: "claude-haiku-5-5" } },
    { status: "error", metadata: { agent: "shouter" } },
  ]);
  // What both cost is known, also of one that came to nothing.
  const forkOf = (name: string) => run.workers.find((one) => one.name === name);
  expect(forkOf("agent-1-fork-2")?.fork).toMatchObject({ agent: "counter", cachedShare: 0 });
  expect(forkOf("agent-1-fork-1")?.status).toBe("abandoned");

  await one.execute("run.stop");
  await one.until(over);
  const folder = join(one.repo.folder, "state", "forks", run.id);
  expect(JSON.parse(readFileSync(join(folder, "agent-1-fork-2.json"), "utf8"))).toEqual(heard[1]);
  expect(existsSync(join(folder, "agent-1-fork-1.json"))).toBe(true);
});

test("the fork tool is not offered when forks are off", { tags: ["long"] }, async () => {
  fixture = await createFixture({ workflow: "auto", script: calmAgents, files: hive("enabled = false") });
  const one = fixture;
  await one.start();
  await one.until(({ workers }) => workers.some(({ role, iteration }) => role === "agent" && iteration > 0));
  const asked = one.standIn.requests().filter(({ seen }) => /^(?:agent-\d|O-A-1)$/u.test(seen.role));
  expect(new Set(asked.map(({ seen }) => seen.role)).size).toBeGreaterThan(1);
  expect(asked.filter(({ seen }) => seen.tools.includes("fork_subagent"))).toEqual([]);
});
