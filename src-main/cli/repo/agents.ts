/** `hox agents`: the named agents of a repository, as its files describe them. (HIVE-1, HIVE-12) */
import type { WorkerView } from "#shared/contract/views/run.ts";
import type { AgentFileProblem, AgentFiles, NamedAgent } from "#shared/domain/agent-file/named-agent.ts";
import { isCloneCall } from "#shared/domain/fork/fork-events.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { folderName, folderReader, readAgentFiles } from "../../agent-files/read-agent-files.ts";
import type { Config } from "../../config/config-interface.ts";
import { systemPrompt } from "../../config/resources-folder.ts";
import { cloneInstructions, namedTask } from "../../engine/conversations/fork-text.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { unknownName, workerNamed } from "../command-table.ts";
import { print, printError, printJson } from "../output.ts";
import { rootOf } from "../repository.ts";
import { withRunClient } from "../run/run-client.ts";
import { configIn } from "./config.ts";

/** Where agents are, and how forks are set. */
interface AgentsPlace {
  readonly root: string;
  readonly hive: Config["hive"];
  /** `hive.agents_dir` as paths have it. */
  readonly folder: string;
}

async function agentsPlace(options: CommonOptions): Promise<AgentsPlace> {
  const root = await rootOf(options);
  const { hive } = (await configIn(root)).config;
  return { root, hive, folder: folderName(hive.agentsDir) };
}

const filesAt = ({ root, folder }: AgentsPlace): Promise<AgentFiles> =>
  readAgentFiles(folderReader(root, folder), folder);

/** Every agent with its file's settings and path. */
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
    print(`No agent files. Add one to ${shownName(place.folder)}/, or let agents clone themselves.`);
  const broken = new Set(problems.filter(({ level }) => level === "error").map(({ path }) => path)).size;
  if (broken > 0) printError(`${counted(broken, "file")} could not be loaded. See \`hox agents check\`.`);
  if (!place.hive.enabled) printError("Forks are off: hive.enabled is false in .hox/config.toml.");
  return exitCode.done;
}

export function agentLines(agent: NamedAgent, hive: Config["hive"]): readonly string[] {
  const { name, description, tools, source } = agent;
  return [
    `${name}  ${shownName(source.path)}${source.kind === "claude" ? " (an agent of Claude Code)" : ""}`,
    `  ${shownLine(description)}`,
    `  model: ${shownLine(modelWord(agent, hive))}`,
    `  tools: ${tools === null ? "all tools that a fork can use" : tools.join(", ") || "none"}`,
    `  limits: ${formatLimits(agent, hive)}`,
  ];
}

function modelWord({ model }: NamedAgent, { defaultModel }: Config["hive"]): string {
  if (model === null && defaultModel !== "") return `${defaultModel} (hive.default_model)`;
  return model === null || model === "inherit" ? "its caller's" : model;
}

function formatLimits({ limits }: NamedAgent, hive: Config["hive"]): string {
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
    print(agents.length === 0 ? "No agent files." : `${counted(agents.length, "agent")}, no errors.`);
  return isBroken ? exitCode.error : exitCode.done;
}

/** `file:line: level: message`, as editors and terminals know how to open it. */
const problemText = ({ path, line, level, problem, remedy }: AgentFileProblem): string =>
  `${shownName(path)}:${line}: ${level}: ${shownLine(problem)}\n  ${shownLine(remedy)}`;

interface ShowOptions extends CommonOptions {
  /** Whose fork it would be; needs a run for a clone. */
  readonly worker?: string;
  readonly task?: string;
}

/** What an agent is sent before and with its task, and what it may use. (HIVE-12) */
export async function showAgent(name: string, options: ShowOptions): Promise<ExitCode> {
  const place = await agentsPlace(options);
  if (isCloneCall(name)) return showClone(place, options);
  const { agents, problems } = await filesAt(place);
  const agent = agents.find((one) => one.name === name);
  if (!agent) throw unknownAgent(name, agents, problems);
  if (options.json) {
    printJson({ kind: "agent", ...agent, model: modelWord(agent, place.hive) });
    return exitCode.done;
  }
  for (const line of agentLines(agent, place.hive)) print(line);
  const caller = options.worker ?? "agent-1";
  print("\nSystem prompt:\n");
  print(
    systemPrompt("named-agent", `${caller.toLowerCase()}-fork-1`, { caller, instructions: agent.system }),
  );
  print("\nOnly message:\n");
  print(namedTask(caller, options.task ?? anyTask));
  return exitCode.done;
}

const anyTask = "<what its caller asks for>";

/** A clone begins with its caller's own bytes; what comes after them is shown whole. */
async function showClone({ hive }: AgentsPlace, options: ShowOptions): Promise<ExitCode> {
  const worker = options.worker === undefined ? null : await workerOf(options, options.worker);
  const suffix = cloneInstructions(hive, options.task ?? anyTask);
  const whose = worker === null ? "its caller" : worker.name;
  if (options.json) {
    const { name = null, model = null, contextTokens = null } = worker ?? {};
    printJson({ kind: "clone", caller: name, model, contextTokens, refused: hive.cloneDisableTools, suffix });
    return exitCode.done;
  }
  print(`First, byte for byte: the system prompt, tools and conversation of ${whose}.`);
  if (worker) print(`  ${worker.contextTokens} tokens in its last request to ${shownLine(worker.model)}`);
  if (hive.cloneDisableTools.length > 0)
    print(`  tools it can't call: ${hive.cloneDisableTools.map(shownLine).join(", ")}`);
  if (!hive.enabled || !hive.allowClones)
    printError("Clones are off: see hive.enabled and hive.allow_clones in .hox/config.toml.");
  print("\nThen, once:\n");
  print(suffix);
  return exitCode.done;
}

const workerOf = (options: CommonOptions, name: string): Promise<WorkerView> =>
  withRunClient(options, async (client) => workerNamed(await client.run(name), name));

function unknownAgent(
  name: string,
  agents: readonly NamedAgent[],
  problems: readonly AgentFileProblem[],
): CommandError {
  const names = agents.map((agent) => agent.name);
  const { message, remedy } = unknownName(`No agent named ${name}.`, name, names);
  const broken = problems.some(({ level }) => level === "error")
    ? " Files with errors are not loaded: see `hox agents check`."
    : "";
  return new CommandError(message, `${remedy}${broken}`, exitCode.usage);
}
