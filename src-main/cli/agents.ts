/** `hox agents`: the named agents of a repository, as its files describe them. (HIVE-1, HIVE-12) */
import type { AgentFileProblem, AgentFiles, NamedAgent } from "#shared/domain/agent-file/named-agent.ts";
import { counted } from "#shared/domain/text/counted.ts";
import { nearestWord } from "#shared/domain/text/nearest-word.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { folderReader } from "../agent-files/folder-reader.ts";
import { folderName, readAgentFiles } from "../agent-files/read-agent-files.ts";
import { folderView } from "../api/folder-view.ts";
import { loadConfig } from "../config/config.ts";
import type { Config } from "../config/config-interface.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode, folderOf } from "./command-line.ts";
import { print, printError, printJson } from "./output.ts";

/** Where agents are, and how forks are set. */
export interface AgentsPlace {
  readonly root: string;
  readonly hive: Config["hive"];
  /** `hive.agents_dir` as paths have it. */
  readonly folder: string;
}

export async function agentsPlace(options: CommonOptions): Promise<AgentsPlace> {
  const view = await folderView(folderOf(options));
  if ("remedy" in view) throw new CommandError(view.reason, view.remedy);
  const { hive } = (await loadConfig(view.root)).config;
  return { root: view.root, hive, folder: folderName(hive.agentsDir) };
}

const filesAt = ({ root, folder }: AgentsPlace): Promise<AgentFiles> =>
  readAgentFiles(folderReader(root, folder), folder);

/** Every agent with what its file says, and where that stands. */
export async function listAgents(options: CommonOptions): Promise<ExitCode> {
  const place = await agentsPlace(options);
  const { agents, problems } = await filesAt(place);
  if (options.json) {
    for (const agent of agents) printJson({ kind: "agent", ...agent, model: modelWord(agent, place.hive) });
    for (const problem of problems) printJson({ kind: "problem", ...problem });
    return exitCode.done;
  }
  for (const [at, agent] of agents.entries()) {
    if (at > 0) print();
    for (const line of agentLines(agent, place.hive)) print(line);
  }
  if (agents.length === 0)
    print(
      `No agent has a file here. Write one to ${shownName(place.folder)}/, or let agents clone themselves.`,
    );
  const broken = new Set(problems.filter(({ level }) => level === "error").map(({ path }) => path)).size;
  if (broken > 0)
    printError(
      `${counted(broken, "file")} with a mistake, and no agent because of it: hox agents check says more.`,
    );
  if (!place.hive.enabled) printError("Nobody may fork here: hive.enabled is false in .hox/config.toml.");
  return exitCode.done;
}

export function agentLines(agent: NamedAgent, hive: Config["hive"]): readonly string[] {
  const { name, description, tools, source } = agent;
  return [
    `${name}  ${shownName(source.path)}${source.kind === "claude" ? " (an agent of Claude Code)" : ""}`,
    `  ${shownLine(description)}`,
    `  model: ${shownLine(modelWord(agent, hive))}`,
    `  tools: ${tools === null ? "all that a fork may use" : tools.join(", ") || "none"}`,
    `  limits: ${limitWords(agent, hive)}`,
  ];
}

function modelWord({ model }: NamedAgent, { defaultModel }: Config["hive"]): string {
  if (model === null && defaultModel !== "") return `${defaultModel} (hive.default_model)`;
  return model === null || model === "inherit" ? "its caller's" : model;
}

function limitWords({ limits }: NamedAgent, hive: Config["hive"]): string {
  const { maxTurns, timeoutSeconds, budgetUsd } = limits;
  return [
    maxTurns === null ? null : counted(maxTurns, "request"),
    timeoutSeconds === null ? `${hive.timeoutSeconds} s (hive.timeout_seconds)` : `${timeoutSeconds} s`,
    budgetUsd === null ? null : `$${budgetUsd.toFixed(2)}`,
  ]
    .filter((word) => word !== null)
    .join(", ");
}

/** Only what is wrong; fails where a file is no agent because of it. */
export async function checkAgents(options: CommonOptions): Promise<ExitCode> {
  const place = await agentsPlace(options);
  const { agents, problems } = await filesAt(place);
  for (const problem of problems)
    if (options.json) printJson({ kind: "problem", ...problem });
    else printError(problemText(problem));
  const isBroken = problems.some(({ level }) => level === "error");
  if (!options.json && !isBroken)
    print(
      agents.length === 0
        ? "There is no agent file here."
        : `${counted(agents.length, "agent")}, and no mistake.`,
    );
  return isBroken ? exitCode.error : exitCode.done;
}

/** `file:line: level: message`, as editors and terminals know how to open it. */
export const problemText = ({ path, line, level, problem, remedy }: AgentFileProblem): string =>
  `${shownName(path)}:${line}: ${level}: ${shownLine(problem)}\n  ${shownLine(remedy)}`;

/** What an agent is told before its task, and what it may use. */
export async function showAgent(name: string, options: CommonOptions): Promise<ExitCode> {
  const place = await agentsPlace(options);
  const { agents, problems } = await filesAt(place);
  const agent = agents.find((one) => one.name === name);
  if (!agent) throw unknownAgent(name, agents, problems);
  if (options.json) {
    printJson({ kind: "agent", ...agent, model: modelWord(agent, place.hive) });
    return exitCode.done;
  }
  for (const line of agentLines(agent, place.hive)) print(line);
  print();
  print(agent.system);
  return exitCode.done;
}

function unknownAgent(
  name: string,
  agents: readonly NamedAgent[],
  problems: readonly AgentFileProblem[],
): CommandError {
  const names = agents.map((agent) => agent.name);
  const near = nearestWord(name, names);
  const broken = problems.some(({ level }) => level === "error")
    ? " Files with a mistake are no agents: hox agents check."
    : "";
  return new CommandError(
    `No agent here is called ${name}.`,
    `${near ? `Did you mean ${near}? ` : ""}There is: ${names.join(", ") || "none"}.${broken}`,
    exitCode.usage,
  );
}
