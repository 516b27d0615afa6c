/**
 * Parses the trailers at the end of a description: the one place that reads `Hox-*` metadata (HOX-2.1);
 * `write-trailers.ts` writes it. The rules are those of jj's own `trailers` keyword, so that a revset, a
 * terminal and Hox agree: the last paragraph, after a blank line, of `Key: value` lines; a line that starts
 * with a space continues the one above; any other line voids the whole paragraph, unless it also has git's
 * `Signed-off-by` or cherry-pick line.
 */
import type { Metadata, MetadataField } from "./metadata.ts";
import { kinds, messageTypes, priorities, statuses, trailerKeys } from "./metadata.ts";

export interface Trailer {
  readonly key: string;
  readonly value: string;
}

/** A parsed description. `body` is the text between the subject and the trailers. */
export interface Description {
  readonly subject: string;
  readonly body: string;
  readonly trailers: readonly Trailer[];
  readonly metadata: Metadata;
}

/** A `Hox-*` line that is kept as it is but cannot be used. */
interface MetadataProblem {
  readonly key: string;
  readonly value: string;
  readonly reason: string;
}

/** A trailer with the lines `[first, last]` that it takes. */
interface Placed extends Trailer {
  readonly first: number;
  readonly last: number;
}

/** A description by its lines. */
export interface Scan {
  /** Lines with their endings; joined they are the description, byte for byte. */
  readonly lines: readonly string[];
  readonly trailers: readonly Placed[];
  /** First line of the trailer paragraph; equals `end` when there is no valid one. */
  readonly start: number;
  /** One past the last line that is not blank. */
  readonly end: number;
}

const trailerLine = /^([A-Za-z0-9-]+) *: *([^ \n][^\n]*)?$/;
/** All fields, in the order in which they are written. */
export const metadataFields = Object.keys(trailerKeys) as MetadataField[];
/** The field of a trailer by its key. */
export const fieldOfKey = new Map<string, MetadataField>(
  metadataFields.map((field) => [trailerKeys[field], field]),
);

const isAsciiSpace = (code: number): boolean =>
  code === 32 || code === 9 || code === 10 || code === 12 || code === 13;

/** Without the white space that jj cuts off at the end, which is ASCII only. */
export function trimEnd(text: string): string {
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

/** Finds a description's trailers and their paragraph. */
export function scan(description: string): Scan {
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
  overruled: anyText,
};

/** Why a text cannot be the value of a field; nothing when it can. */
export function wrong(field: MetadataField, text: string): string | undefined {
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
 * Reads the Hox metadata of a description. Unknown and invalid values are left out, never an error. (HOX-2.1)
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
 * Lists the `Hox-*` lines that are kept but not used: unknown keys, invalid values, and lines outside the
 * trailers' paragraph. (HOX-2.1)
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
    const reason = field === undefined ? "unknown Hox trailer" : wrong(field, value);
    if (reason !== undefined) problems.push({ key, value, reason });
  }
  for (const [index, line] of lines.entries()) {
    if (taken.has(index)) continue;
    const match = trailerLine.exec(withoutEnding(line));
    if (!match?.[1] || !fieldOfKey.has(match[1])) continue;
    problems.push({
      key: match[1],
      value: trimEnd(match[2] ?? ""),
      reason: "it is not in a final paragraph that contains only trailers",
    });
  }
  return problems;
}
