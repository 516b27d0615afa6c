import { expect, test } from "vitest";
import { migrateAgentText } from "./migrate-agent-text.ts";
import { parseAgentFile } from "./parse-agent-file.ts";

const earlier = `---
# Ours
model: claude-haiku-5-5
context_mode: fork
tools:
  - read_file
  - hive_delegate
timeout_seconds: 120   # enough
---

# Finds things: quickly

Call hive_delegate, or hive_fork_subagent as it was called, and not my_hive_delegate.
`;

test("a file of the earlier tool is converted, and unknown settings stay", () => {
  const { text, changes } = migrateAgentText("agents/Code Search.md", earlier);
  expect(text).toBe(`---
name: code-search
description: "Finds things: quickly"
# Ours
model: claude-haiku-5-5
tools:
  - read_file
  - fork_subagent
limits:
  timeout_seconds: 120   # enough
---

# Finds things: quickly

Call fork_subagent, or fork_subagent as it was called, and not my_hive_delegate.
`);
  expect(changes.map(({ line, before, after }) => [line, before, after])).toEqual([
    [2, null, "name: code-search"],
    [2, null, 'description: "Finds things: quickly"'],
    [4, "context_mode: fork", null],
    [7, "  - hive_delegate", "  - fork_subagent"],
    [8, "timeout_seconds: 120   # enough", null],
    [9, null, "limits:"],
    [9, null, "  timeout_seconds: 120   # enough"],
    [13, expect.stringContaining("hive_delegate"), expect.stringContaining("fork_subagent")],
  ]);
  const parsed = parseAgentFile({ path: "agents/a.md", kind: "hox", text }, (model) => ({ model }));
  expect(parsed.problems).toEqual([]);
  expect(parsed.agent).toMatchObject({
    name: "code-search",
    tools: ["read_file", "fork_subagent"],
    limits: { timeoutSeconds: 120 },
  });
});

test("a converted file stays unchanged", () => {
  const { text } = migrateAgentText("agents/search.md", earlier);
  expect(migrateAgentText("agents/search.md", text)).toEqual({ text, changes: [] });
});

test('tools: "." is left out, which means all of them', () => {
  const { text } = migrateAgentText("a.md", '---\nname: a\ndescription: b\ntools: "."  # all\n---\nLook.\n');
  expect(text).toBe("---\nname: a\ndescription: b\n---\nLook.\n");
});

test("a file without front matter keeps its text except for the tool's name", () => {
  expect(migrateAgentText("a.md", "Use hive_delegate.\r\n").text).toBe("Use fork_subagent.\r\n");
  expect(migrateAgentText("a.md", "Nothing.\r\n")).toEqual({ text: "Nothing.\r\n", changes: [] });
});
