import { expect, test } from "vitest";
import type { AgentFile, AgentFileKind } from "./named-agent.ts";
import { collectAgents, type JudgeModel, parseAgentFile } from "./parse-agent-file.ts";

const judge: JudgeModel = (model) =>
  model === "unknown-1" ? { mistake: "It has no price.", remedy: "Take another." } : { model };

const file = (text: string, kind: AgentFileKind = "hox", path = "agents/searcher.md"): AgentFile => ({
  path,
  kind,
  text,
});
const read = (text: string, kind?: AgentFileKind) => parseAgentFile(file(text, kind), judge);
/** A file that is right but for the lines given. */
const withLines = (...lines: readonly string[]) =>
  ["---", "name: searcher", "description: Finds things.", ...lines, "---", "Look around."].join("\n");
const problemsIn = (text: string, kind?: AgentFileKind) =>
  read(text, kind).problems.map(({ line, level, problem, remedy }) => [line, level, `${problem} ${remedy}`]);

test("an agent is its front matter and the text below it, with any line ends", () => {
  const text = [
    "---",
    "name: searcher   # ours",
    "description: >",
    "  Finds where something",
    "  is used.",
    "model: claude-haiku-5-5",
    "tools: [read_file, search, read_file]",
    "limits:",
    "  max_turns: 12",
    "  timeout_seconds: 90",
    "  budget_usd: 0.25",
    "---",
    "",
    "Look around.",
    "",
    "Say paths.",
    "",
  ].join("\n");
  const agent = {
    name: "searcher",
    description: "Finds where something is used.",
    system: "Look around.\n\nSay paths.",
    tools: ["read_file", "search"],
    model: "claude-haiku-5-5",
    limits: { maxTurns: 12, timeoutSeconds: 90, budgetUsd: 0.25 },
    source: { path: "agents/searcher.md", kind: "hox" },
  };
  expect(read(text)).toEqual({ agent, problems: [] });
  expect(read(`\ufeff${text.replaceAll("\n", "\r\n")}`)).toEqual({ agent, problems: [] });
});

test("no list of tools differs from an empty one, and no model from an inherited one", () => {
  const least = read(withLines()).agent;
  expect(least).toMatchObject({
    tools: null,
    model: null,
    limits: { maxTurns: null, timeoutSeconds: null, budgetUsd: null },
  });
  expect(read(withLines("tools: []", "model: inherit")).agent).toMatchObject({ tools: [], model: "inherit" });
  expect(read(withLines("tools: read_file, run_command")).agent?.tools).toEqual(["read_file", "run_command"]);
});

test.each([
  ["Look around.", 1, "has no front matter"],
  ["---\nname: a\nLook around.", 1, "does not end"],
  ["---\nname: a\ndescription: one: two\n---\nx", 3, "Quote text that contains a colon"],
  ["---\n- name\n---\nx", 2, "contains no settings"],
  ["---\ndescription: x\n---\nLook.", 1, "Add a line such as name: searcher."],
  ["---\nname: a\n---\nLook.", 1, "has no description"],
  ["---\nname: Big One\ndescription: x\n---\nLook.", 2, "lowercase letters"],
  ["---\nname: clone\ndescription: x\n---\nLook.", 2, "copy of the caller"],
  ["---\nname: a\nname: b\ndescription: x\n---\nLook.", 3, "Invalid YAML"],
  [withLines("tools:", "  - read_file", "  - raed_file"), 6, "Did you mean read_file?"],
  [withLines("tools: [Bash]"), 4, "Did you mean run_command?"],
  [withLines("tools: 5"), 4, "must be a list of tools"],
  [withLines('tools: "."'), 4, "meant a copy of the caller"],
  [withLines("tools: [hive_delegate]"), 4, "is now called fork_subagent"],
  [withLines("tols: [read_file]"), 4, "Did you mean tools?"],
  [withLines("context_mode: fork"), 4, "a copy of the caller needs no file"],
  [withLines("model: unknown-1"), 4, "It has no price. Take another."],
  [withLines("model: 5"), 4, "must be the name of a model"],
  [withLines("limits:", "  max_turns: 0"), 5, "a whole number above 0"],
  [withLines("limits:", "  budget_usd: lots"), 5, "an amount above 0"],
  [withLines("limits:", "  max_turn: 3"), 5, "Did you mean max_turns?"],
  [withLines("limits: 5"), 4, "must contain settings"],
  [withLines("model: &m x", "tools: *m"), 5, "must be a list of tools"],
  ["---\nname: a\ndescription: x\n---\n", 5, "no text below"],
  [`${withLines()}\n\nCall hive_delegate.`, 7, "now called fork_subagent"],
  [`${withLines()}${"x".repeat(41_000)}`, 5, "longer than 40000 characters"],
  [`${withLines()}${"x".repeat(70_000)}`, 1, "longer than 64 kB"],
])("an error has its line and its remedy, and its file is no agent: %#", (text, line, words) => {
  expect(read(text).agent).toBeNull();
  expect(problemsIn(text)).toContainEqual([line, "error", expect.stringContaining(words)]);
});

test("agents of Claude Code are read and translated", () => {
  const text = [
    "---",
    "name: code-reviewer",
    'description: Use it after a change. Examples: <example>user: "look"</example>',
    "tools: Read, Edit, MultiEdit, Bash, Grep, Glob, Task, WebFetch, mcp__ours__find",
    "model: sonnet",
    "maxTurns: 9",
    "color: blue",
    "skills: review",
    "---",
    "You review.",
  ].join("\n");
  const { agent, problems } = read(text, "claude");
  expect(agent).toMatchObject({
    name: "code-reviewer",
    description: 'Use it after a change. Examples: <example>user: "look"</example>',
    tools: [
      "read_file",
      "edit_file",
      "move_file",
      "delete_file",
      "run_command",
      "search",
      "glob",
      "fork_subagent",
    ],
    model: "sonnet",
    limits: { maxTurns: 9 },
  });
  expect(problems.map(({ line, level }) => [line, level])).toEqual([
    [4, "warning"],
    [4, "warning"],
    [8, "warning"],
  ]);
});

test.each([
  [withLines("tools: Reed"), "Did you mean Read?"],
  [withLines("tools: Read, Bash(git log:*, git show:*)"), "Use Bash without the restriction"],
  [withLines("disallowedTools: Bash"), "List the tools that the agent may use"],
  [withLines("permissionMode: plan"), "would allow the agent to write"],
])("what a file of Claude Code forbids is never silently allowed: %#", (text, words) => {
  expect(read(text, "claude").agent).toBeNull();
  expect(problemsIn(text, "claude")).toEqual([[4, "error", expect.stringContaining(words)]]);
});

test("tools that a file of Claude Code disallows are not among its tools", () => {
  expect(
    read(withLines("tools: Read, Bash, Write", "disallowedTools: [Bash]"), "claude").agent?.tools,
  ).toEqual(["read_file", "write_file"]);
});

test("of two agents with one name ours comes first, then the first path, with a warning", () => {
  const one = (path: string, kind: AgentFileKind, name = "searcher") =>
    file(withLines().replace("searcher", name), kind, path);
  const files = [
    one(".claude/agents/a.md", "claude"),
    one("agents/z.md", "hox"),
    one("agents/b.md", "hox"),
    one("agents/broken.md", "hox", "Not A Name"),
    one(".claude/agents/other.md", "claude", "other"),
  ];
  const { agents, problems } = collectAgents(files, judge);
  expect(agents.map(({ name, source }) => [name, source.path])).toEqual([
    ["other", ".claude/agents/other.md"],
    ["searcher", "agents/b.md"],
  ]);
  expect(problems.map(({ path, line, level }) => [path, line, level])).toEqual([
    ["agents/broken.md", 2, "error"],
    ["agents/z.md", 2, "error"],
    [".claude/agents/a.md", 2, "warning"],
  ]);
  expect(collectAgents([...files].reverse(), judge)).toEqual({ agents, problems });
});
