/** The tools that an agent file names. */
import type { Notes } from "./agent-notes.ts";
import { type Field, textOf } from "./front-matter.ts";
import type { AgentFile } from "./named-agent.ts";
import { findTool } from "./tool-names.ts";

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
export function toolsOf(
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
