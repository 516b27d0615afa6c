import { afterEach, expect, test } from "vitest";
import { forkTools } from "#shared/domain/agent-file/tool-names.ts";
import type { TestRepository } from "../jj/testing/create-test-repository.ts";
import { createTestRepository } from "../jj/testing/create-test-repository.ts";
import { agentTools } from "../tools/agent-tools.ts";
import { judgeModel, readAgentFiles } from "./read-agent-files.ts";

let repo: TestRepository;
afterEach(() => repo?.remove());

const agent = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\nYou do ${name}.\n`;

test("reads the agents of a commit instead of the folder, and continues after an invalid one", async () => {
  repo = await createTestRepository();
  const { repository } = repo;
  const { commitId } = await repository.newChange({
    parents: ["@-"],
    description: "agents\n",
    files: {
      "team/agents/search.md": agent("search", "model: claude-haiku-5-5\n"),
      "team/agents/broken.md": agent("broken", "tols: x\n"),
      "team/agents/big.md": agent("big") + "x".repeat(70_000),
      "team/agents/deeper/far.md": agent("far"),
      "team/agents/README.md": "What these are.\n",
      "team/agents/notes.txt": "no agent\n",
      ".claude/agents/reviewer.md": agent("reviewer", "model: opus\ntools: Read, Grep\n"),
    },
  });
  await repository.newChange({
    parents: [commitId],
    description: "later\n",
    files: { "team/agents/later.md": agent("later") },
  });
  const reader = {
    listFiles: () => repository.listFiles(commitId),
    readTexts: (paths: readonly string[], options: { readonly maxFileBytes: number }) =>
      repository.readTexts(commitId, paths, options),
  };
  const { agents, problems } = await readAgentFiles(reader, "./team/agents/");
  expect(agents).toMatchObject([
    {
      name: "reviewer",
      model: "claude-opus-5-5",
      tools: ["read_file", "search"],
      source: { kind: "claude" },
    },
    { name: "search", model: "claude-haiku-5-5", system: "You do search.", source: { kind: "hox" } },
  ]);
  expect(problems).toMatchObject([
    { path: "team/agents/broken.md", line: 4, level: "error", remedy: "Did you mean tools?" },
    { path: "team/agents/big.md", line: 1, level: "error" },
  ]);
  expect(await readAgentFiles(reader, "nowhere")).toMatchObject({
    agents: [{ name: "reviewer" }],
    problems: [],
  });
});

test("reports too many files", async () => {
  const paths = Array.from({ length: 203 }, (_, at) => `agents/a${at}.md`);
  const texts = new Map(paths.map((path, at) => [path, agent(`a${at}`)]));
  const { agents, problems } = await readAgentFiles(
    { listFiles: async () => paths, readTexts: async () => texts },
    "agents",
  );
  expect([agents.length, problems.map(({ path }) => path)]).toEqual([200, paths.slice(200)]);
});

test("a model without a price is rejected, and a model family means the one in the price table", () => {
  expect(judgeModel("haiku")).toEqual({ model: "claude-haiku-5-5" });
  expect(judgeModel("claude-opus-5-5")).toEqual({ model: "claude-opus-5-5" });
  expect(judgeModel("gpt-x")).toEqual({
    mistake: expect.stringContaining("without a known price"),
    remedy: expect.stringContaining("claude-opus-5-5"),
  });
});

test("an agent file may list every tool of an agent, and the fork tool", () => {
  const ofAgents = agentTools().flatMap(({ name, onlySignals }) =>
    onlySignals && name !== "report_done" ? [] : [name],
  );
  expect([...forkTools].sort()).toEqual([...ofAgents, "fork_subagent"].sort());
});
