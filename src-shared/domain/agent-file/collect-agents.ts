import type { AgentFile, AgentFileProblem, AgentFiles, NamedAgent } from "./named-agent.ts";
import { type JudgeModel, parseAgentFile } from "./parse-agent-file.ts";

/**
 * All agents of a repository. Of two with one name ours comes before Claude Code's, and else the first path.
 *
 * @param files in any order
 */
export function collectAgents(files: readonly AgentFile[], judgeModel: JudgeModel): AgentFiles {
  const agents = new Map<string, NamedAgent>();
  const problems: AgentFileProblem[] = [];
  const inOrder = [...files].sort(
    (a, b) => Number(a.kind === "claude") - Number(b.kind === "claude") || byCode(a.path, b.path),
  );
  for (const file of inOrder) {
    const parsed = parseAgentFile(file, judgeModel);
    problems.push(...parsed.problems);
    if (parsed.agent === null) continue;
    const first = agents.get(parsed.agent.name);
    if (first) problems.push(duplicate(parsed.agent, first, file.text));
    else agents.set(parsed.agent.name, parsed.agent);
  }
  return { agents: [...agents.values()].sort((a, b) => byCode(a.name, b.name)), problems };
}

/** The same on every machine, whatever its language. */
const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function duplicate(agent: NamedAgent, first: NamedAgent, text: string): AgentFileProblem {
  const { path, kind } = agent.source;
  const at = text.split("\n").findIndex((line) => line.startsWith("name:"));
  const isOverruled = kind === "claude" && first.source.kind === "hox";
  return {
    path,
    line: Math.max(0, at) + 1,
    level: isOverruled ? "warning" : "error",
    problem: `${first.source.path} also defines an agent named ${agent.name}${isOverruled ? ", and Hox uses that one" : ""}.`,
    remedy: isOverruled ? "To use both, rename one of them." : "Rename one of them.",
  };
}
