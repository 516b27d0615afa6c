import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../../config/config.ts";
import { agentTools } from "../../../../tools/agent-tools.ts";
import type { Tool, ToolContext } from "../../../../tools/tool-interface.ts";
import { cloneTool } from "./fork-work.ts";

const fork = { ...agentTools()[0], name: "fork_subagent" } as Tool;
const answer = async (name: string, ...disabled: readonly string[]) => {
  const own = [...agentTools(), { ...fork, description: "the caller's" }].find((tool) => tool.name === name);
  if (!own) throw new Error(`There is no ${name}.`);
  const given = cloneTool(own, { disabled, fork });
  return given === own || given === fork ? given : (await given.run({}, {} as ToolContext)).output;
};

describe("cloneTool", () => {
  it("refuses every tool that is disabled for clones, including fork_subagent", async () => {
    for (const name of ["search", "fork_subagent", "run_command", "report_done"])
      expect(await answer(name, name)).toBe(`${name} is disabled for clones (hive.clone_disable_tools).`);
  });

  it("gives a clone its own fork_subagent, and other allowed tools unchanged", async () => {
    expect(await answer("fork_subagent", "search")).toBe(fork);
    expect(await answer("search")).toMatchObject({ name: "search" });
    expect(await answer("align_request")).toContain("align_request is not for a fork");
  });
});

describe("hive.clone_disable_tools", () => {
  it("refuses an unknown tool name, at its line and with the nearest one", () => {
    const { problems, config } = parseConfig(
      '[hive]\nmax_depth = 2\nclone_disable_tools = [\n  "search",\n  "fork_subagnt",\n]\n',
    );
    expect(problems).toMatchObject([
      {
        level: "error",
        line: 5,
        key: "hive.clone_disable_tools",
        message: expect.stringContaining('"fork_subagnt" is not a tool of Hox. Did you mean fork_subagent?'),
      },
    ]);
    expect(config?.hive.cloneDisableTools ?? []).toEqual([]);
  });

  it("knows every tool of an agent, and suggests the new name of an old one", () => {
    expect(parseConfig('[hive]\nclone_disable_tools = ["note", "glob", "fork_subagent"]\n').problems).toEqual(
      [],
    );
    expect(parseConfig('[hive]\nclone_disable_tools = ["hive_delegate"]\n').problems).toMatchObject([
      { line: 2, message: expect.stringContaining('"hive_delegate" is now called fork_subagent.') },
    ]);
  });
});
