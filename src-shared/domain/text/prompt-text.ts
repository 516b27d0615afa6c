/**
 * The only way for untrusted text into a prompt. A prompt consists of our lines and of quoted lines, each of
 * which begins with a mark: so nothing from an agent, a file or a command can imitate a section, an event, a
 * fence or another turn. It is deterministic, so that the same text makes the same bytes and a conversation's
 * beginning stays in the provider's cache.
 */
import { shownName, shownText } from "./shown-text.ts";

declare const promptText: unique symbol;

/** A text of which every line is ours or quoted. Made by the functions of this file only. */
export type PromptText = string & { readonly [promptText]: true };

/** What every quoted line begins with. */
const mark = "> ";

const asPromptText = (text: string): PromptText => text as PromptText;

/**
 * A prompt that ships with Hox, unchanged.
 *
 * @param text of `resources/prompts`; never untrusted
 */
export const resourceText = (text: string): PromptText => asPromptText(text);

const linesOf = (text: string): readonly string[] => shownText(text).split(/\r?\n/u);

const marked = (line: string): string => `${mark}${line}`.trimEnd();

/**
 * Untrusted text as quoted lines.
 *
 * @param text anything
 * @returns its lines with the mark, invisible characters made visible; empty for a blank text
 */
export const quoteText = (text: string): PromptText =>
  asPromptText(text.trim() === "" ? "" : linesOf(text.trimEnd()).map(marked).join("\n"));

/** A name as workers have it: `agent-2`, `O-A-1/agent-2`. */
const oneWord = /^[A-Za-z][\w-]*(?:\/[\w-]+)?$/u;

/**
 * One of our lines with untrusted values in it, as in promptLine`- ${title}: ${reason}`. A value is inline up
 * to its first line end; the rest is quoted, and so is a value at the beginning of the line, unless it is one
 * word, such as the name of a worker, and our sentence continues after it.
 *
 * @param ours the template, which may have several lines
 * @param values untrusted text
 */
export function promptLine(ours: TemplateStringsArray, ...values: readonly (string | number)[]): PromptText {
  let text = ours[0] ?? "";
  for (const [place, value] of values.entries()) {
    const [first = "", ...more] = linesOf(String(value));
    const after = ours[place + 1] ?? "";
    const begins = text === "" || text.endsWith("\n");
    const isOurSentence = oneWord.test(first) && /^ \S/u.test(after);
    text += [begins && first !== "" && !isOurSentence ? marked(first) : first, ...more.map(marked)].join(
      "\n",
    );
    text += after;
  }
  return asPromptText(text);
}

/**
 * Paths as a list, one line for each whatever it holds.
 *
 * @param paths of files or folders, as they are
 */
export const pathLines = (paths: readonly string[]): readonly PromptText[] =>
  paths.map((path) => promptLine`- ${shownName(path)}`);

/**
 * Texts one after another, with an empty line between; what is empty is left out.
 *
 * @param parts lines, quoted words, sections
 */
export const prompt = (...parts: readonly PromptText[]): PromptText =>
  asPromptText(
    parts
      .map((part) => part.trimEnd())
      .filter((part) => part !== "")
      .join("\n\n"),
  );

/**
 * A section of a prompt.
 *
 * @param title ours, or with a worker's name in it
 * @returns nothing for no lines
 */
export const section = (title: string, lines: readonly PromptText[]): PromptText =>
  lines.every((line) => line === "")
    ? asPromptText("")
    : asPromptText(`## ${shownText(title).replaceAll(/\s+/gu, " ")}\n\n${lines.join("\n").trim()}`);

/**
 * The content of a section, without the marks of quoted lines.
 *
 * @param prompt as it was sent
 * @param title of the section; the first one of that name counts
 * @returns empty if there is no such section
 */
export function sectionOf(prompt: string, title: string): string {
  const lines = prompt.split("\n");
  const start = lines.indexOf(`## ${title}`);
  if (start < 0) return "";
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith("## "));
  return withoutMarks((end < 0 ? rest : rest.slice(0, end)).join("\n")).trim();
}

/**
 * A prompt's words without the marks of quoted lines.
 *
 * @param text a prompt or a part of one
 */
const withoutMarks = (text: string): string => text.replaceAll(/^>(?: |$)/gmu, "");
