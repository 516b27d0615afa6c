/** The tools that an agent file may name, by the names of Hox, of Claude Code and of the earlier tool. */
import { nearestWord } from "../text/nearest-word.ts";
import type { AgentFileKind } from "./named-agent.ts";

/** What a fork can be given: whatever speaks for its caller stays with that. */
export const forkTools = [
  "read_file",
  "list_files",
  "glob",
  "search",
  "write_file",
  "edit_file",
  "move_file",
  "delete_file",
  "run_command",
  "report_done",
  "fork_subagent",
] as const;

/** What speaks for an agent itself: no fork has it, whatever a file says. */
export const callerTools = [
  "align_request",
  "note",
  "todo",
  "request_dependency",
  "read_attachment",
] as const;

/** How the tool that forks was called before. (HIVE-1) */
export const earlierForkTools = ["hive_delegate", "hive_fork_subagent"];

const ofClaude: Readonly<Record<string, readonly string[]>> = {
  Read: ["read_file"],
  Write: ["write_file"],
  Edit: ["edit_file", "move_file", "delete_file"],
  MultiEdit: ["edit_file"],
  Bash: ["run_command"],
  Grep: ["search"],
  Glob: ["glob"],
  LS: ["list_files"],
  Task: ["fork_subagent"],
  Agent: ["fork_subagent"],
};

/** Tools of Claude Code that Hox has nothing for. */
const missingHere = new Set([
  "WebFetch",
  "WebSearch",
  "NotebookEdit",
  "NotebookRead",
  "BashOutput",
  "KillShell",
  "KillBash",
  "SlashCommand",
  "Skill",
  "AskUserQuestion",
  "EnterPlanMode",
  "ExitPlanMode",
  "TodoRead",
  "TodoWrite",
  "ListMcpResourcesTool",
  "ReadMcpResourceTool",
]);

export type ToolMatch =
  | { readonly tools: readonly string[] }
  /** It is known, and what it does is not there: the agent goes without. */
  | { readonly missing: string; readonly remedy: string }
  | { readonly mistake: string; readonly remedy: string };

/**
 * What a tool of an agent file is called here.
 *
 * @param name as the file has it
 */
export function findTool(name: string, kind: AgentFileKind): ToolMatch {
  if (earlierForkTools.includes(name))
    return {
      mistake: `"${name}" is now called fork_subagent.`,
      remedy: "Write fork_subagent.",
    };
  return kind === "claude" ? claudeTool(name) : ownTool(name);
}

function ownTool(name: string): ToolMatch {
  return forkTools.some((one) => one === name) ? { tools: [name] } : unknownTool(name, forkTools);
}

function unknownTool(name: string, names: readonly string[]) {
  const counterpart = Object.hasOwn(ofClaude, name) ? ofClaude[name]?.[0] : undefined;
  const near = counterpart ?? nearestWord(name, names);
  return {
    mistake: `"${name}" is not a tool of Hox.`,
    remedy: near ? `Did you mean ${near}?` : `Use one of ${names.join(", ")}.`,
  };
}

/**
 * What is wrong with a tool's name in `hive.clone_disable_tools`; null where an agent has such a tool. (HIVE-4)
 *
 * @param name as the settings have it
 */
export function disabledToolMistake(name: string): string | null {
  const names: readonly string[] = [...forkTools, ...callerTools];
  if (names.includes(name)) return null;
  const earlier = earlierForkTools.includes(name) ? "fork_subagent" : name;
  const { mistake, remedy } = unknownTool(earlier, names);
  return earlier === name ? `${mistake} ${remedy}` : `"${name}" is now called ${earlier}.`;
}

function claudeTool(name: string): ToolMatch {
  const tools = Object.hasOwn(ofClaude, name) ? ofClaude[name] : undefined;
  if (tools) return { tools };
  if (missingHere.has(name) || name.startsWith("mcp__"))
    return {
      missing: `Hox has no equivalent of "${name}". The agent works without it.`,
      remedy: "No action needed, unless its task needs it.",
    };
  const limited = /^([A-Za-z]+)\(.*\)$/u.exec(name)?.[1];
  if (limited !== undefined)
    return {
      mistake: `"${name}" restricts a tool, and Hox cannot enforce this restriction.`,
      remedy: `Use ${limited} without the restriction, or remove it.`,
    };
  const near = nearestWord(name, Object.keys(ofClaude));
  return {
    mistake: `"${name}" is not a tool that Hox knows.`,
    remedy: near ? `Did you mean ${near}?` : `Use one of ${Object.keys(ofClaude).join(", ")}.`,
  };
}
