/** Sets and removes trailers, and leaves the rest of a description byte for byte as it is (HOX-2.1). */
import { type MetadataField, type MetadataPatch, trailerKeys } from "./metadata.ts";
import {
  fieldOfKey,
  metadataFields,
  parseDescription,
  scan,
  type Trailer,
  trimEnd,
  wrong,
} from "./trailers.ts";

/** A value that is not valid in a trailer, or not in this one. */
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
  for (const field of metadataFields) {
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

/** A typed text as the one line of a trailer. */
export const trailerLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cs}\s\u2028\u2029]+/gu, " ").trim();

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
 * The words that a user edits: all but the trailer paragraph. A description without trailers is all words.
 */
export function bodyOf(description: string): string {
  const { subject, body, trailers } = parseDescription(description);
  if (trailers.length === 0) return description.trimEnd();
  return [subject, body]
    .filter((part) => part !== "")
    .join("\n\n")
    .trimEnd();
}

/** A new body above the unchanged trailers. */
export function withBody(description: string, words: string): string {
  const { trailers } = parseDescription(description);
  const text = words.trimEnd();
  if (trailers.length === 0) return text === "" ? "" : `${text}\n`;
  const lines = description.trimEnd().split("\n");
  let start = lines.length;
  while (start > 0 && lines[start - 1]?.trim() !== "") start -= 1;
  return `${text}\n\n${lines.slice(start).join("\n")}\n`;
}
