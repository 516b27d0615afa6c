import { randomBytes } from "node:crypto";
import type { WriteOptions } from "../ports/graph-writer.ts";

// Encoded so that nothing in it needs quoting, in TOML or in the command line that jj records.
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/**
 * The arguments that mark a command as ours in the operation log; they must come first. `hox.*` are settings
 * that no program reads.
 * @param mark unique for this command (`newMark`)
 */
export const writeMarks = (mark: string, options: WriteOptions = {}): readonly string[] => [
  "--config",
  `hox.write=${mark}`,
  ...(options.actor === undefined ? [] : ["--config", `hox.actor=${encoded(options.actor)}`]),
  ...(options.request === undefined ? [] : ["--config", `hox.request=${encoded(options.request)}`]),
];

const ofThisProcess = `w${randomBytes(6).toString("hex")}`;

/** A new mark. All marks of one process begin alike. */
export const newMark = (): string => `${ofThisProcess}${randomBytes(6).toString("hex")}`;

/** Whether this process, and no other Hox, marked a command so. */
export const isOwnMark = (mark: string | null): boolean => mark?.startsWith(ofThisProcess) === true;

// Our marks come first in the line, so that text in a later argument cannot imitate them.
const marks =
  /^(?:'[^']*'|\S+) --config '?hox\.write=(\w+)'?(?: --config '?hox\.actor=([^\s']*)'?)?(?: --config '?hox\.request=([^\s']*)'?)?(?: |$)/;

function decoded(text: string | undefined): string | null {
  if (text === undefined) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Reads who caused an operation from the command line that jj recorded.
 * @returns `terminal` for a command that Hox did not start
 */
export function readMarks(commandLine: string): { actor: string; request: string | null } {
  const ours = marks.exec(commandLine);
  if (!ours) return { actor: "terminal", request: null };
  return { actor: decoded(ours[2]) ?? "hox", request: decoded(ours[3]) };
}

/** The mark (`newMark`) in a command line that jj recorded, or null for a command that Hox did not start. */
export const markIn = (commandLine: string): string | null => marks.exec(commandLine)?.[1] ?? null;
