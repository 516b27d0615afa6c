import { randomUUID } from "node:crypto";
import { JjError } from "../process/errors.ts";
import type { Jj } from "../process/process.ts";

export interface ReadTextsOptions {
  readonly operation?: string;
  /** A longer file is left out. */
  readonly maxFileBytes?: number;
  /** Reading ends after this many bytes; the rest is left out. */
  readonly maxBytes?: number;
  /** The same for time. */
  readonly maxMs?: number;
  readonly signal?: AbortSignal;
}

/** Windows takes 32,767 characters on one line; the rest of the line needs some of them. */
const lineOfPaths = 24_000;

/**
 * The texts of many files of one commit, with one jj process for some hundreds of them. Bytes that are no UTF-8 come
 * as U+FFFD, conflicted files with markers, and the newline at the very end may be missing.
 *
 * @param argsFor the whole command line for some paths and a template that heads each file
 * @returns texts by path; files that are not there, too long or beyond the limit are missing
 * @throws JjError, `aborted` when the signal says so
 */
export async function readTexts(
  jj: Jj,
  cwd: string,
  argsFor: (paths: readonly string[], template: string) => readonly string[],
  paths: readonly string[],
  { maxFileBytes = Infinity, maxBytes = Infinity, maxMs = Infinity, signal }: ReadTextsOptions,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  // jj writes no lengths, so a word that no file can know marks where each begins.
  const mark = `${randomUUID()} `;
  const begun = performance.now();
  let total = 0;
  const enough = (): boolean => total >= maxBytes || performance.now() - begun >= maxMs;
  for (const some of portions(paths)) {
    if (enough()) break;
    let path: string | null = null;
    let lines: string[] = [];
    let size = 0;
    const end = (): void => {
      if (path !== null && size <= maxFileBytes) texts.set(path, lines.join("\n"));
      lines = [];
      size = 0;
    };
    let cut = false;
    await missingFileIsNoError(
      jj.lines({ args: argsFor(some, `"\\n${mark}" ++ json(self.path()) ++ "\\n"`), cwd, signal }, (line) => {
        if (line.startsWith(mark)) {
          end();
          path = JSON.parse(line.slice(mark.length)) as string;
          return undefined;
        }
        const bytes = Buffer.byteLength(line) + 1;
        size += bytes;
        total += bytes;
        if (size <= maxFileBytes) lines.push(line);
        else lines = [];
        cut = enough();
        return !cut;
      }),
    );
    // A file that the limit cut in two was not read.
    if (!cut) end();
  }
  return texts;
}

/** Of one path alone jj says that there is no such file; among many it leaves it out. */
async function missingFileIsNoError(reading: Promise<unknown>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (!(error instanceof JjError && error.kind === "no-such-path")) throw error;
  }
}

function portions(paths: readonly string[]): readonly (readonly string[])[] {
  const all: string[][] = [];
  let length = Infinity;
  for (const path of paths) {
    length += path.length + 20;
    const last = all.at(-1);
    if (last && length <= lineOfPaths) last.push(path);
    else {
      all.push([path]);
      length = path.length + 20;
    }
  }
  return all;
}
