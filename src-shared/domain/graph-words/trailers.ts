/**
 * The trailers at the end of a description: the one place that reads and writes `Hox-*` words (HOX-2.1).
 * The rules are those of jj's own `trailers` keyword, line by line, so that a revset, a terminal and Hox agree:
 * the last paragraph, after a blank line, of `Key: value` lines; a line that starts with a space continues the
 * one above; one other line voids the whole paragraph, unless git's own `Signed-off-by` or cherry-pick line
 * stands there too.
 */
import type { Metadata, MetadataField, MetadataPatch } from "./metadata.ts";
import { kinds, messageTypes, priorities, statuses, trailerKeys } from "./metadata.ts";

export interface Trailer {
  readonly key: string;
  readonly value: string;
}

/** A description taken apart for people. `body` is what stands between the subject and the trailers. */
export interface Description {
  readonly subject: string;
  readonly body: string;
  readonly trailers: readonly Trailer[];
  readonly metadata: Metadata;
}

/** A `Hox-*` line that is kept as it is but cannot be used. */
export interface MetadataProblem {
  readonly key: string;
  readonly value: string;
  readonly reason: string;
}

/** A value that cannot stand in a trailer, or not in this one. */
export class TrailerError extends Error {
  override readonly name = "TrailerError";
  readonly field: MetadataField;
  readonly value: unknown;
  readonly remedy: string;
  constructor(field: MetadataField, value: unknown, reason: string, remedy: string) {
    super(`${trailerKeys[field]} cannot be set to ${JSON.stringify(value)}: ${reason}. ${remedy}`);
    this.field = field;
    this.value = value;
    this.remedy = remedy;
  }
}

/** A trailer with the lines `[first, last]` that it takes. */
interface Placed extends Trailer {
  readonly first: number;
  readonly last: number;
}

interface Scan {
  /** Lines with their endings; joined they are the description, byte for byte. */
  readonly lines: readonly string[];
  readonly trailers: readonly Placed[];
  /** First line of the trailer paragraph; equals `end` when there is no valid one. */
  readonly start: number;
  /** One past the last line that is not blank. */
  readonly end: number;
}

const trailerLine = /^([A-Za-z0-9-]+) *: *([^\n]*)$/;
const fields = Object.keys(trailerKeys) as MetadataField[];
const fieldOfKey = new Map<string, MetadataField>(fields.map((field) => [trailerKeys[field], field]));

const isAsciiSpace = (code: number): boolean =>
  code === 32 || code === 9 || code === 10 || code === 12 || code === 13;

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isAsciiSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

function linesOf(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

const withoutEnding = (line: string): string => line.replace(/\r?\n$/, "");

function scan(description: string): Scan {
  const lines = linesOf(description);
  const kept = linesOf(trimEnd(description)).length;
  // jj cuts the white space at the end before it looks at lines, so the last one is seen without it.
  const bare = (index: number): string =>
    index === kept - 1 ? trimEnd(lines[index] ?? "") : withoutEnding(lines[index] ?? "");

  const trailers: Placed[] = [];
  let continuation: string[] = [];
  let last = -1;
  let blank = -1;
  let gitTrailer = false;
  let other = false;
  for (let index = kept - 1; index >= 0; index--) {
    const line = bare(index);
    if (line.startsWith(" ")) {
      if (continuation.length === 0) last = index;
      continuation.push(line);
      continue;
    }
    const match = trailerLine.exec(line);
    if (match) {
      const key = match[1] ?? "";
      const values = [...continuation, match[2] ?? ""];
      values[0] = trimEnd(values[0] ?? "");
      trailers.push({
        key,
        value: values.reverse().join("\n"),
        first: index,
        last: continuation.length === 0 ? index : last,
      });
      gitTrailer ||= key === "Signed-off-by";
    } else if (line.startsWith("(cherry picked from commit ")) {
      gitTrailer = true;
    } else if (trimEnd(line) === "") {
      blank = index;
      break;
    } else {
      other = true;
    }
    continuation = [];
  }
  const valid = blank >= 0 && trailers.length > 0 && (!other || gitTrailer);
  return {
    lines,
    trailers: valid ? trailers.reverse() : [],
    start: valid ? blank + 1 : kept,
    end: kept,
  };
}

// Anything that a terminal, a line or UTF-8 could not carry on one line.
const unfit = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

const oneOf = (words: readonly string[]) => (text: string) =>
  words.includes(text) ? undefined : `it must be one of ${words.join(", ")}`;
const wholeNumber = (text: string) =>
  /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? undefined : "it must be a whole number from 0";
const jsonLine = (text: string) => {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return "it must be JSON on one line";
  }
};
const anyText = () => undefined;

/** Field → what is wrong with a text that already fits on one line. */
const rules: Readonly<Record<MetadataField, (text: string) => string | undefined>> = {
  kind: oneOf(kinds),
  status: oneOf(statuses),
  priority: oneOf(priorities),
  rank: anyText,
  run: anyText,
  orchestrator: anyText,
  agent: anyText,
  phase: wholeNumber,
  msgTo: anyText,
  msgType: oneOf(messageTypes),
  replyTo: anyText,
  iteration: wholeNumber,
  metrics: jsonLine,
};

function wrong(field: MetadataField, text: string): string | undefined {
  if (text === "") return "it is empty";
  if (unfit.test(text)) return "it must be one line without control characters";
  if (text.startsWith(" ") || trimEnd(text) !== text) return "it must not begin or end with a space";
  return rules[field](text);
}

function metadataOf(trailers: readonly Trailer[]): Metadata {
  const metadata: Partial<Record<MetadataField, string | number>> = {};
  for (const { key, value } of trailers) {
    const field = fieldOfKey.get(key);
    if (field === undefined || wrong(field, value) !== undefined) continue;
    // Twice the same key: the last usable one counts, as with git.
    metadata[field] = field === "phase" || field === "iteration" ? Number(value) : value;
  }
  return metadata as Metadata;
}

const nothing: Metadata = Object.freeze({});

/**
 * Reads the Hox words of a description. Unknown and invalid values are left out, never an error. (HOX-2.1)
 * @param description a change's whole description
 * @returns the fields that are set and valid
 */
export function readMetadata(description: string): Metadata {
  if (!description.includes("Hox-")) return nothing;
  return metadataOf(scan(description).trailers);
}

/**
 * Takes a description apart. (HOX-2.1)
 * @param description a change's whole description
 * @returns subject, body, every trailer in its order (foreign ones too), and the Hox words
 */
export function parseDescription(description: string): Description {
  const { lines, trailers, start } = scan(description);
  const subject = withoutEnding(lines[0] ?? "");
  return {
    subject,
    body: lines
      .slice(1, Math.max(1, start))
      .join("")
      .replace(/^(?:[ \t]*\r?\n)+/, "")
      .trimEnd(),
    trailers: trailers.map(({ key, value }) => ({ key, value })),
    metadata: metadataOf(trailers),
  };
}

/**
 * Names the `Hox-*` lines that are kept but not used: unknown keys, invalid values, lines that are no trailers
 * because of where they stand. (HOX-2.1)
 * @param description a change's whole description
 */
export function metadataProblems(description: string): readonly MetadataProblem[] {
  if (!description.includes("Hox-")) return [];
  const { lines, trailers } = scan(description);
  const problems: MetadataProblem[] = [];
  const taken = new Set<number>();
  for (const { key, value, first, last } of trailers) {
    for (let index = first; index <= last; index++) taken.add(index);
    if (!key.startsWith("Hox-")) continue;
    const field = fieldOfKey.get(key);
    const reason = field === undefined ? "Hox knows no such trailer" : wrong(field, value);
    if (reason !== undefined) problems.push({ key, value, reason });
  }
  for (const [index, line] of lines.entries()) {
    if (taken.has(index)) continue;
    const match = trailerLine.exec(withoutEnding(line));
    if (!match?.[1] || !fieldOfKey.has(match[1])) continue;
    problems.push({
      key: match[1],
      value: trimEnd(match[2] ?? ""),
      reason: "it stands outside a last paragraph that holds nothing but trailers",
    });
  }
  return problems;
}

function textOf(field: MetadataField, value: string | number): string {
  const text = String(value);
  const reason = wrong(field, text);
  if (reason !== undefined)
    throw new TrailerError(field, value, reason, "Give another value, or null to remove the trailer.");
  return text;
}

/** Removes the named keys; what their paragraph hid must not come alive, so hidden Hox lines go with them. */
function remove(description: string, unwanted: (trailer: Trailer) => boolean): string {
  const { lines, trailers, start, end } = scan(description);
  const dropped = new Set<number>();
  for (const trailer of trailers) {
    if (!unwanted(trailer)) continue;
    for (let index = trailer.first; index <= trailer.last; index++) dropped.add(index);
  }
  if (dropped.size === 0) return description;
  const paragraph = lines.slice(start, end).filter((_, offset) => !dropped.has(start + offset));
  if (paragraph.length > 0) {
    return [...lines.slice(0, start), ...paragraph, ...lines.slice(end)].join("");
  }
  let before = start;
  while (before > 0 && trimEnd(lines[before - 1] ?? "") === "") before--;
  const exposed = [...lines.slice(0, before), ...lines.slice(end)].join("");
  return remove(exposed, ({ key }) => fieldOfKey.has(key));
}

/**
 * Sets and removes Hox words and keeps everything else byte for byte: subject, body, foreign trailers, order,
 * spacing. A patch that changes nothing answers the same string. New trailers go to the end of the one trailer
 * paragraph, which is made when there is none. (HOX-2.1, HOX-2.4)
 * @param description a change's whole description
 * @param patch a value sets a field, `null` removes its trailer, an absent field stays
 * @throws TrailerError when a value is not one line or not a value of its field
 */
export function writeMetadata(description: string, patch: MetadataPatch): string {
  const wanted = new Map<string, string | null>();
  for (const field of fields) {
    const value = patch[field];
    if (value === undefined) continue;
    wanted.set(trailerKeys[field], value === null ? null : textOf(field, value));
  }
  const cleared = remove(description, ({ key }) => wanted.get(key) === null);

  const { lines, trailers, start, end } = scan(cleared);
  const replaced = new Map<number, string>();
  const dropped = new Set<number>();
  const missing: string[] = [];
  for (const [key, value] of wanted) {
    if (value === null) continue;
    const present = trailers.filter((trailer) => trailer.key === key);
    const last = present.pop();
    if (!last) {
      missing.push(`${key}: ${value}`);
      continue;
    }
    if (last.value !== value) {
      replaced.set(last.first, `${key}: ${value}`);
      for (let index = last.first + 1; index <= last.last; index++) dropped.add(index);
    }
    // An earlier twin would be read by tools that take the first.
    for (const twin of present) for (let index = twin.first; index <= twin.last; index++) dropped.add(index);
  }
  if (replaced.size === 0 && dropped.size === 0 && missing.length === 0) return cleared;

  const ended = (line: string): string => (line.endsWith("\n") ? line : `${line}\n`);
  const kept: string[] = [];
  for (let index = 0; index < end; index++) {
    if (dropped.has(index)) continue;
    const line = lines[index] ?? "";
    const replacement = replaced.get(index);
    kept.push(replacement === undefined ? ended(line) : `${replacement}\n`);
  }
  if (missing.length > 0 && start === end) kept.push("\n");
  for (const line of missing) kept.push(`${line}\n`);
  return [...kept, ...lines.slice(end)].join("");
}

/**
 * Takes all lines of Hox out of a description, those too that Hox does not understand, and keeps everything else.
 * @param keeps keys that stay
 */
export function withoutHoxTrailers(description: string, keeps: readonly string[] = []): string {
  const bare = remove(description, ({ key }) => key.startsWith("Hox-") && !keeps.includes(key));
  return bare.trim() === "" ? bare : `${bare.trimEnd()}\n`;
}

/**
 * Adds lines `key: value` at the end of the trailers, each once.
 * @param values one line each
 */
export function addTrailers(description: string, key: string, values: readonly string[]): string {
  const { lines, trailers, start, end } = scan(description);
  const known = new Set(trailers.filter((one) => one.key === key).map(({ value }) => value));
  const missing = [...new Set(values)]
    .filter((value) => !known.has(value))
    .map((value) => `${key}: ${value}\n`);
  if (missing.length === 0) return description;
  const before = lines.slice(0, end).join("").trimEnd();
  return [`${before}\n`, ...(start === end ? ["\n"] : []), ...missing].join("");
}

/**
 * Joins two descriptions that were written at the same time from one: the words around the trailers as one text,
 * and each Hox field for itself. (HOX-2.1)
 * @param base what both began with
 * @param keepBoth where both changed the same, the value of `one` holds, and new lines of `other` follow its words
 * @returns the joined description, or nothing when both changed the same thing differently and not both are kept
 */
export function mergeDescriptions(
  base: string,
  one: string,
  other: string,
  { keepBoth = false }: { readonly keepBoth?: boolean } = {},
): string | undefined {
  const all = Object.fromEntries(fields.map((field) => [field, null])) as MetadataPatch;
  const merged = <T>(
    from: T,
    left: T,
    right: T,
    both: (left: T, right: T) => T = () => left,
  ): { readonly value: T } | undefined => {
    if (left === right || right === from) return { value: left };
    if (left === from) return { value: right };
    return keepBoth ? { value: both(left, right) } : undefined;
  };
  const words = writeMetadata(base, all);
  const text = merged(words, writeMetadata(one, all), writeMetadata(other, all), (left, right) =>
    withNewLines(words, left, right),
  );
  if (!text) return undefined;
  const from = readMetadata(base);
  const left = readMetadata(one);
  const right = readMetadata(other);
  const patch: Partial<Record<MetadataField, string | number>> = {};
  for (const field of fields) {
    const value = merged<string | number | undefined>(from[field], left[field], right[field]);
    if (!value) return undefined;
    if (value.value !== undefined) patch[field] = value.value;
  }
  return writeMetadata(text.value, patch as MetadataPatch);
}

/** The first text, and below it the lines that the second has and neither the first nor what both began with. */
function withNewLines(base: string, one: string, other: string): string {
  const known = new Set([base, one].flatMap((text) => text.split("\n")));
  const added = other.split("\n").filter((line) => line.trim() !== "" && !known.has(line));
  return added.length === 0 ? one : `${one.trimEnd()}\n\n${added.join("\n")}\n`;
}
