/** One file as an agent, or what is wrong with it. Pure. */
import { nearestWord } from "../text/nearest-word.ts";
import { claudeLimits, limitsOf } from "./agent-limits.ts";
import type { Notes } from "./agent-notes.ts";
import { toolsOf } from "./agent-tools.ts";
import { type Field, parseFrontMatter, textOf } from "./front-matter.ts";
import {
  type AgentFile,
  type AgentFileProblem,
  inheritedModel,
  maxAgentFileBytes,
  type NamedAgent,
} from "./named-agent.ts";
import { earlierForkTools } from "./tool-names.ts";

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

function checkKeys(fields: readonly Field[], { kind }: AgentFile, notes: Notes): void {
  const known: readonly string[] = settings[kind];
  for (const { key, line } of fields) {
    if (known.includes(key)) continue;
    if (kind === "claude")
      notes.unused(line, `"${key}" is not used by Hox.`, "No action needed. Claude Code still reads it.");
    else if (["context_mode", "timeout_seconds", "max_turns"].includes(key))
      notes.wrong(
        line,
        `"${key}" belongs to the previous format.`,
        "Run `hox agents migrate` to see the file in the current format.",
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

function checkBody({ kind, path }: AgentFile, body: string, line: number, notes: Notes): void {
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
        `Run \`hox agents migrate\` to see ${path} with its new name, and again with --write.`,
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
