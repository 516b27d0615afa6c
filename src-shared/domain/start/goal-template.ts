/**
 * Templates for frequent goals: a Markdown text with fields, stored in `.hox/templates` of the repository.
 */
import { counted, startOf } from "../text/format-text.ts";
import { shownLine } from "../text/shown-text.ts";

/** Where a repository keeps them. */
export const templatesFolder = ".hox/templates";

/** Letters of one template, and of its name. */
export const maxTemplateLength = 20_000;
const maxNameLength = 60;

export interface TemplateField {
  readonly name: string;
  /** Its default; null: it has to be filled in. */
  readonly standard: string | null;
}

/** `{{ module }}`, or `{{ module | src }}` with a default. */
const fieldPattern =
  /\{\{\s{0,20}([\p{L}_][\p{L}\p{N}_ -]{0,58}?)\s{0,20}(?:\|\s{0,20}([^{}\n]{0,200}?)\s{0,20})?\}\}/gu;

/** Fields of a template in order of first use; a default given anywhere applies. */
export function fieldsOf(text: string): readonly TemplateField[] {
  const fields = new Map<string, string | null>();
  for (const [, name = "", standard] of text.matchAll(fieldPattern))
    fields.set(name, fields.get(name) ?? standard ?? null);
  return [...fields].map(([name, standard]) => ({ name, standard }));
}

/** Empty fields without a default. */
export const missingFields = (text: string, values: Readonly<Record<string, string>>): readonly string[] =>
  fieldsOf(text)
    .filter(({ name, standard }) => standard === null && (values[name] ?? "").trim() === "")
    .map(({ name }) => name);

/** A template's goal. A missing field keeps its placeholder, so that it is visible. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  const standards = new Map(fieldsOf(text).map(({ name, standard }) => [name, standard]));
  return text.replace(fieldPattern, (whole, name: string) => {
    const typed = (Object.hasOwn(values, name) ? values[name] : "")?.trim() ?? "";
    return typed !== "" ? typed : (standards.get(name) ?? whole);
  });
}

/** Why this cannot be the name of a template, which is a file's name; null where it can. */
export function templateNameProblem(name: string): string | null {
  if (name.trim() === "") return "Enter a name.";
  if (name.length > maxNameLength) return `At most ${maxNameLength} letters.`;
  return /^[\p{L}\p{N}][\p{L}\p{N} _-]*$/u.test(name)
    ? null
    : "Only letters, digits, spaces, - and _, starting with a letter or digit.";
}

interface Untrusted {
  readonly text: string;
  readonly allows: string;
}

const areNotInForce = (count: number): string =>
  `${counted(count, "setting")} of .hox/config.toml would loosen your limits and ${count === 1 ? "is" : "are"} not in force`;

/** Says in one line that settings of a repository are not in force, and which. */
export function untrustedText(settings: readonly Pick<Untrusted, "text">[]): string {
  const shown = settings.slice(0, 3).map(({ text }) => shownLine(startOf(text, 80)));
  const more = settings.length > 3 ? `; and ${settings.length - 3} more` : "";
  return `${areNotInForce(settings.length)}: ${shown.join("; ")}${more}.`;
}

/** The same for a terminal, with what each setting would allow. */
export const untrustedLines = (settings: readonly Untrusted[]): readonly string[] => [
  `${areNotInForce(settings.length)}:`,
  ...settings.flatMap(({ text, allows }) => [`  ${shownLine(text)}`, `      ${shownLine(allows)}`]),
];
