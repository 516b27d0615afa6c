/** A recording without what belongs to the machine that it was made on. */
import { secrets as secretKinds } from "../patterns/pattern-gate.ts";
import { createRedactor } from "../tools/redact.ts";
import type { Recording } from "./recording.ts";

/** A folder of the machine, and what is written in its place. */
export interface Place {
  readonly folder: string;
  readonly name: string;
}

/** Folders of anybody's, wherever a command may have printed them. */
const homes =
  /(?:\/home\/|\/Users\/|\/root(?=\/)|[A-Za-z]:\\+Users\\+)[^\s/\\"'`:<>|]*|\/(?:private\/)?(?:tmp|var\/folders)\/[^\s"'`:<>|/]+/gu;

/** What nobody told us to hide and looks like a secret all the same. */
const secretShapes = secretKinds.map(([, shape]) => new RegExp(shape.source, `${shape.flags}g`));

/**
 * Every text of it without paths, addresses and secrets: known folders become their names, homes and temporary folders of
 * others `<folder>`.
 */
export function withoutMachine(
  recording: Recording,
  places: readonly Place[],
  secrets: readonly string[],
): Recording {
  const { redact } = createRedactor(secrets);
  // The longest first: one may lie in another.
  const known = places
    .flatMap(({ folder, name }) => spellings(folder).map((spelling) => ({ spelling, name })))
    .toSorted((one, other) => other.spelling.length - one.spelling.length);
  const clean = (text: string): string =>
    known
      .reduce(
        (left, { spelling, name }) => (left.includes(spelling) ? left.replaceAll(spelling, name) : left),
        secretShapes.reduce((left, shape) => left.replaceAll(shape, "[redacted]"), redact(text)),
      )
      .replaceAll(homes, "<folder>");
  const { changes, graphs } = recording.graphs;
  const anonymous = changes.map((change) => ({ ...change, author: { ...change.author, email: "" } }));
  return mapTexts({ ...recording, graphs: { changes: anonymous, graphs } }, clean);
}

/** As it is, as a URL has it, and as a program writes it into a string. */
const spellings = (folder: string): readonly string[] =>
  [...new Set([folder, encodeURI(folder), JSON.stringify(folder).slice(1, -1)])].filter(
    (one) => one.length > 1,
  );

/** The same value with every text of it, keys as well, passed through `map`. */
function mapTexts<T>(value: T, map: (text: string) => string): T;
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [map(key), mapTexts(one, map)]));
}
