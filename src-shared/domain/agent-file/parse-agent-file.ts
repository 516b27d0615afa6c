/** One file as an agent, or what is wrong with it. Pure. */
import { compareText } from "../change-metadata/address.ts";
import { nearestWord } from "../text/nearest-word.ts";
import { type Field, parseFrontMatter, textOf } from "./front-matter.ts";
import {
  type AgentFile,
  type AgentFileProblem,
  type AgentFiles,
  inheritedModel,
  maxAgentFileBytes,
  type NamedAgent,
} from "./named-agent.ts";
import { earlierForkTools, findTool } from "./tool-names.ts";

/** What a model is called here, or why none of that name can be asked. */
export type JudgeModel = (
  model: string,
) => { readonly model: string } | { readonly mistake: string; readonly remedy: string };

export interface ParsedAgentFile {
  /** Null where the file has a mistake. */
  readonly agent: NamedAgent | null;
  readonly problems: readonly AgentFileProblem[];
}

/** Whoever forks says it for a copy of itself. (HIVE-2) */
const cloneName = "clone";

const namePattern = /^[a-z0-9][a-z0-9_-]{0,59}$/u;
const maxDescriptionLength = 4_000;
const maxSystemPromptLength = 40_000;

const settings = {
  hox: ["name", "description", "model", "tools", "limits"],
  claude: ["name", "description", "model", "tools", "disallowedTools", "maxTurns", "permissionMode", "color"],
} as const;

/** Takes down what is wrong, each with its line. */
interface Notes {
  readonly wrong: (line: number, problem: string, remedy: string) => void;
  readonly unused: (line: number, problem: string, remedy: string) => void;
}

/**
 * Reads a file of either format.
 *
 * @param judgeModel says what can be asked
 */
export function parseAgentFile(file: AgentFile, judgeModel: JudgeModel): ParsedAgentFile {
  const problems: AgentFileProblem[] = [];
  const say =
    (level: AgentFileProblem["level"]) =>
    (line: number, problem: string, remedy: string): void => {
      problems.push({ path: file.path, line, level, problem, remedy });
    };
  const notes: Notes = { wrong: say("error"), unused: say("warning") };
  const agent = agentOf(file, judgeModel, notes);
  const isWrong = problems.some(({ level }) => level === "error");
  return { agent: isWrong ? null : agent, problems: problems.sort((a, b) => a.line - b.line) };
}

function agentOf(file: AgentFile, judgeModel: JudgeModel, notes: Notes): NamedAgent | null {
  if (file.text.length > maxAgentFileBytes) {
    notes.wrong(1, `The file is longer than ${maxAgentFileBytes / 1024} kB.`, "Shorten it.");
    return null;
  }
  const parsed = parseFrontMatter(file.text, file.kind === "claude");
  if ("mistakes" in parsed) {
    for (const { line, problem, remedy } of parsed.mistakes) notes.wrong(line, problem, remedy);
    return null;
  }
  const { fields, body, bodyLine } = parsed;
  checkKeys(fields, file, notes);
  const field = (key: string): Field | undefined => fields.find((one) => one.key === key);
  checkBody(file, body, bodyLine, notes);
  return {
    name: nameOf(field("name"), file, notes),
    description: descriptionOf(field("description"), notes),
    system: body,
    tools: toolsOf(field("tools"), field("disallowedTools"), file, notes),
    model: modelOf(field("model"), judgeModel, notes),
    limits: file.kind === "hox" ? limitsOf(field("limits"), notes) : claudeLimits(field("maxTurns"), notes),
    source: { path: file.path, kind: file.kind },
  };
}

/** The names in a field: a list, or words with commas between. */
function namesIn(field: Field, notes: Notes): readonly { readonly name: string; readonly line: number }[] {
  const { value, line } = field;
  if (value.kind === "list")
    return value.items.flatMap((item) => {
      if (typeof item.value === "string") return [{ name: item.value.trim(), line: item.line }];
      notes.wrong(
        item.line,
        `"${field.key}" contains an entry that is not a tool name.`,
        "Use one name per entry.",
      );
      return [];
    });
  const text = textOf(field);
  if (text !== null)
    // A comma inside brackets belongs to its name.
    return splitAtCommas(text)
      .map((name) => ({ name: name.trim(), line }))
      .filter(({ name }) => name !== "");
  if (value.kind !== "plain" || value.value !== null)
    notes.wrong(
      line,
      `"${field.key}" must be a list of tools.`,
      `Write it as ${field.key}: [read_file, search].`,
    );
  return [];
}

/** Our names, each once; null where the file names none. */
function toolsOf(
  field: Field | undefined,
  denied: Field | undefined,
  { kind }: AgentFile,
  notes: Notes,
): readonly string[] | null {
  const names = field ? namesIn(field, notes) : [];
  const isEverything = names.length === 1 && (names[0]?.name === "*" || names[0]?.name === ".");
  const isNamed = field !== undefined && !isEverything && (names.length > 0 || field.value.kind === "list");
  if (field !== undefined && kind === "hox" && names.length === 1 && names[0]?.name === ".")
    notes.wrong(
      field.line,
      'tools: "." meant a copy of the caller.',
      'Omit tools to allow every tool that a fork may use. For a copy of the caller, use fork_subagent with the agent "clone".',
    );
  const tools = isNamed ? names.flatMap((one) => toolsNamed(one, kind, notes)) : null;
  if (denied === undefined) return tools && [...new Set(tools)];
  if (tools === null) {
    notes.wrong(
      denied.line,
      "Hox cannot remove tools from a list that depends on the caller.",
      "List the tools that the agent may use, for example tools: Read, Grep, Glob.",
    );
    return null;
  }
  const without = new Set(namesIn(denied, notes).flatMap((one) => toolsNamed(one, kind, notes)));
  return [...new Set(tools)].filter((tool) => !without.has(tool));
}

function toolsNamed(
  { name, line }: { readonly name: string; readonly line: number },
  kind: AgentFile["kind"],
  notes: Notes,
): readonly string[] {
  const known = findTool(name, kind);
  if ("tools" in known) return known.tools;
  if ("missing" in known) notes.unused(line, known.missing, known.remedy);
  else notes.wrong(line, known.mistake, known.remedy);
  return [];
}

function splitAtCommas(text: string): readonly string[] {
  const names: string[] = [];
  let begin = 0;
  let isInBrackets = false;
  const lastClosing = text.lastIndexOf(")");
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    // A bracket that is never closed is a sign like any other.
    if (sign === "(") isInBrackets = at < lastClosing;
    else if (sign === ")") isInBrackets = false;
    else if (sign === "," && !isInBrackets) {
      names.push(text.slice(begin, at));
      begin = at + 1;
    }
  }
  return [...names, text.slice(begin)];
}

const noLimits: NamedAgent["limits"] = { maxTurns: null, timeoutSeconds: null, budgetUsd: null };

const limitKeys = ["max_turns", "timeout_seconds", "budget_usd"];

/** The `limits` of an agent file in our format. */
function limitsOf(field: Field | undefined, notes: Notes): NamedAgent["limits"] {
  if (field === undefined) return noLimits;
  const { value, line } = field;
  if (value.kind !== "table") {
    notes.wrong(
      line,
      '"limits" must contain settings.',
      "Add max_turns, timeout_seconds or budget_usd below it, indented.",
    );
    return noLimits;
  }
  for (const { key, line: at } of value.fields)
    if (!limitKeys.includes(key)) {
      const near = nearestWord(key, limitKeys);
      notes.wrong(
        at,
        `"limits.${key}" is not a limit.`,
        near ? `Did you mean ${near}?` : `Use one of ${limitKeys.join(", ")}.`,
      );
    }
  const limit = (key: string, most: number, isWhole: boolean): number | null => {
    const found = value.fields.find((one) => one.key === key);
    return found ? numberIn(found, `limits.${key}`, most, isWhole, notes) : null;
  };
  return {
    maxTurns: limit("max_turns", 1_000, true),
    timeoutSeconds: limit("timeout_seconds", 86_400, true),
    budgetUsd: limit("budget_usd", 100_000, false),
  };
}

/** The same of Claude Code's. */
const claudeLimits = (field: Field | undefined, notes: Notes): NamedAgent["limits"] =>
  field ? { ...noLimits, maxTurns: numberIn(field, "maxTurns", 1_000, true, notes) } : noLimits;

function numberIn(
  { value, line }: Field,
  name: string,
  most: number,
  isWhole: boolean,
  notes: Notes,
): number | null {
  const number = value.kind === "plain" ? value.value : null;
  if (typeof number === "number" && number > 0 && number <= most && (!isWhole || Number.isInteger(number)))
    return number;
  notes.wrong(
    line,
    `"${name}" must be ${isWhole ? "a whole number" : "an amount"} above 0, up to ${most}.`,
    "Correct or remove it.",
  );
  return null;
}

function checkKeys(fields: readonly Field[], { kind }: AgentFile, notes: Notes): void {
  const known: readonly string[] = settings[kind];
  for (const { key, line } of fields) {
    if (known.includes(key)) continue;
    if (kind === "claude")
      notes.unused(line, `"${key}" is not used by Hox.`, "No action needed. Claude Code still reads it.");
    else if (["context_mode", "timeout_seconds", "max_turns"].includes(key))
      notes.wrong(
        line,
        `"${key}" is not a setting here.`,
        key === "context_mode" ? "Remove it: a copy of the caller needs no file." : "Move it below limits.",
      );
    else {
      const near = nearestWord(key, known);
      notes.wrong(
        line,
        `"${key}" is not an agent setting.`,
        near ? `Did you mean ${near}?` : `Use one of ${known.join(", ")}.`,
      );
    }
  }
  const mode = fields.find(({ key }) => key === "permissionMode");
  if (kind !== "claude" || mode === undefined) return;
  if (textOf(mode) === "plan")
    notes.wrong(
      mode.line,
      "Hox has no plan-only mode and would allow the agent to write.",
      "Remove permissionMode and list the tools that the agent may use, for example tools: Read, Grep, Glob.",
    );
  else
    notes.unused(
      mode.line,
      '"permissionMode" is not used by Hox: Hox applies its own rules and sandbox.',
      "No action needed.",
    );
}

function checkBody({ kind }: AgentFile, body: string, line: number, notes: Notes): void {
  if (body === "")
    notes.wrong(
      line,
      "The file has no text below the front matter.",
      "Add the instructions that the agent gets before its task.",
    );
  if (body.length > maxSystemPromptLength)
    notes.wrong(
      line,
      `The text is longer than ${maxSystemPromptLength} characters.`,
      "Shorten it. Every request pays for it.",
    );
  if (kind !== "hox") return;
  for (const name of earlierForkTools) {
    const at = body.split("\n").findIndex((one) => new RegExp(`\\b${name}\\b`, "u").test(one));
    if (at >= 0)
      notes.wrong(
        line + at,
        `The text mentions ${name}, which is now called fork_subagent.`,
        "Write fork_subagent.",
      );
  }
}

function nameOf(field: Field | undefined, { path }: AgentFile, notes: Notes): string {
  const stem = (path.split("/").at(-1) ?? "").replace(/\.md$/u, "").toLowerCase();
  const name = field && textOf(field);
  const line = field?.line ?? 1;
  if (!name) {
    notes.wrong(
      line,
      "The agent has no name.",
      `Add a line such as name: ${namePattern.test(stem) ? stem : "searcher"}.`,
    );
    return "";
  }
  if (name === cloneName)
    notes.wrong(line, `"${cloneName}" always means a copy of the caller.`, "Choose another name.");
  else if (!namePattern.test(name))
    notes.wrong(
      line,
      `${JSON.stringify(name)} cannot be the name of an agent.`,
      "Use up to 60 lowercase letters, digits, - and _, starting with a letter or a digit.",
    );
  return name;
}

function descriptionOf(field: Field | undefined, notes: Notes): string {
  const description = field && textOf(field);
  const line = field?.line ?? 1;
  if (!description) {
    notes.wrong(
      line,
      "The agent has no description.",
      "Add a line description: that says what the agent is for. Agents choose a fork by its description.",
    );
    return "";
  }
  if (description.length > maxDescriptionLength)
    notes.wrong(
      line,
      `The description is longer than ${maxDescriptionLength} characters.`,
      "Move the rest to the text below.",
    );
  return description;
}

function modelOf(field: Field | undefined, judgeModel: JudgeModel, notes: Notes): string | null {
  if (field === undefined || (field.value.kind === "plain" && field.value.value === null)) return null;
  const name = textOf(field);
  if (name === null || name === "") {
    notes.wrong(
      field.line,
      '"model" must be the name of a model.',
      `Name a model, or use ${inheritedModel} for the caller’s model.`,
    );
    return null;
  }
  if (name === inheritedModel) return inheritedModel;
  const judged = judgeModel(name);
  if ("model" in judged) return judged.model;
  notes.wrong(field.line, judged.mistake, judged.remedy);
  return null;
}

/**
 * All agents of a repository. Of two with one name ours comes before Claude Code's, and else the first path.
 *
 * @param files in any order
 */
export function collectAgents(files: readonly AgentFile[], judgeModel: JudgeModel): AgentFiles {
  const agents = new Map<string, NamedAgent>();
  const problems: AgentFileProblem[] = [];
  const inOrder = [...files].sort(
    (a, b) => Number(a.kind === "claude") - Number(b.kind === "claude") || compareText(a.path, b.path),
  );
  for (const file of inOrder) {
    const parsed = parseAgentFile(file, judgeModel);
    problems.push(...parsed.problems);
    if (parsed.agent === null) continue;
    const first = agents.get(parsed.agent.name);
    if (first) problems.push(duplicate(parsed.agent, first, file.text));
    else agents.set(parsed.agent.name, parsed.agent);
  }
  return { agents: [...agents.values()].sort((a, b) => compareText(a.name, b.name)), problems };
}

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
