import { readFileSync } from "node:fs";
import type { CheckResult } from "#shared/domain/conversation.ts";
import type { Plan } from "#shared/domain/plan.ts";
import { resourcePath } from "../config/resources-folder.ts";
import type { Pattern } from "../patterns/patterns-interface.ts";

/** A prompt's text with `{{name}}` filled in. A name that nobody filled, or a file that is missing, is an error. */
export function loadPrompt(file: string, values: Readonly<Record<string, string>>): string {
  return readFileSync(resourcePath("prompts", `${file}.md`), "utf8")
    .replaceAll(/\{\{\s*([a-z_]+)\s*\}\}/gu, (_, name: string) => {
      const value = values[name];
      if (value === undefined)
        throw new Error(`The prompt ${file}.md wants {{${name}}}, which nobody gives.`);
      return value;
    })
    .trimEnd();
}

/** The same to the byte for a whole conversation, so that the cache hits; the last line says who is asked. */
export const systemPrompt = (
  file: string,
  role: string,
  values: Readonly<Record<string, string>>,
): string => {
  const text = loadPrompt(file, { role, name: role, ...values });
  const line = `Hox-Role: ${role}`;
  return text.endsWith(line) ? text : `${text}\n\n${line}`;
};

/** A line that would read as a section or as an event of ours. */
const structural = /^(?=#{1,2} |\[(?:EVENT|TASK|INTEGRATE|REVIEW|VALIDATE)\b)/gmu;

/** Text in it comes from agents and files: a line that looks like ours is quoted, so that nobody speaks for another. */
const quoted = (text: string): string => text.replaceAll(structural, "> ");

/** A section of a prompt; nothing for no lines. */
export const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `## ${title}\n\n${quoted(lines.join("\n"))}\n`;

export const prompt = (head: string, ...sections: readonly string[]): string =>
  [head, ...sections.filter((one) => one !== "")].join("\n\n").trimEnd();

/** Failed checks with what they printed, so that the agent works on them first. */
export const checkLines = (checks: readonly CheckResult[]): readonly string[] =>
  checks.map((check) =>
    check.outcome === "passed"
      ? `- ${check.name}: passed`
      : `- ${check.name}: ${check.outcome} (\`${check.command}\`)\n\n${fence(check.output)}\n`,
  );

export const patternLines = (patterns: readonly Pattern[]): readonly string[] =>
  patterns.map(
    (pattern) =>
      `### ${pattern.title} (confidence ${pattern.confidence.toFixed(2)})\n\n${pattern.body.trim()}\n`,
  );

export const contractLines = (plan: Plan | null): readonly string[] =>
  plan === null
    ? []
    : [
        plan.contracts.title,
        ...(plan.contracts.description === "" ? [] : ["", plan.contracts.description]),
        ...plan.contracts.files.map((file) => `- ${file}`),
      ];

/** Longer than any run of backticks inside, so that text from outside cannot end it. */
export function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}\n${text}\n${ticks}`;
}
