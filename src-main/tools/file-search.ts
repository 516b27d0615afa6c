import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { createContext, Script } from "node:vm";
import { walk } from "./file-listing.ts";
import { ToolFailure } from "./tool-failure.ts";

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const maxBytes = 1_000_000;
const maxLine = 300;
/** An expression that needs longer on one file would hold up every other agent. */
const maxMsPerFile = 100;
/** The same for one search: the thousand files of a repository add up. */
const maxMs = 2_000;

/** Lines that match, at most `limit`; binary and very large files are passed over. */
export async function searchFiles(
  root: string,
  path: string,
  pattern: string,
  options: { regex: boolean; limit: number },
): Promise<readonly Match[]> {
  const find = finder(pattern, options.regex);
  const matches: Match[] = [];
  for await (const file of files(root, path)) {
    const text = await textOf(join(root, file));
    if (text === null) continue;
    for (const { line, text: found } of find(text, options.limit - matches.length)) {
      matches.push({ path: file, line, text: found.slice(0, maxLine) });
    }
    if (matches.length >= options.limit) break;
  }
  return matches;
}

async function* files(root: string, path: string): AsyncGenerator<string> {
  if ((await lstat(join(root, path))).isFile()) {
    yield path;
    return;
  }
  for await (const entry of walk(root, path, true)) if (entry.file) yield entry.path;
}

async function textOf(absolute: string): Promise<string | null> {
  const file = await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  );
  if (!file) return null;
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > maxBytes) return null;
    const bytes = await file.readFile();
    return bytes.includes(0) ? null : bytes.toString("utf8");
  } finally {
    await file.close();
  }
}

type Found = readonly { line: number; text: string }[];

function finder(pattern: string, regex: boolean): (text: string, limit: number) => Found {
  const linesOf = (text: string): string[] => text.split(/\r?\n/);
  const select = (lines: string[], hits: readonly number[]): Found =>
    hits.map((index) => ({ line: index + 1, text: lines[index] ?? "" }));
  if (!regex) {
    return (text, limit) => {
      if (!text.includes(pattern)) return [];
      const lines = linesOf(text);
      const hits = lines.flatMap((line, index) => (line.includes(pattern) ? [index] : []));
      return select(lines, hits.slice(0, limit));
    };
  }
  const expression = compile(pattern);
  // An expression from an agent may take for ever; only a vm can interrupt it.
  const sandbox = createContext({ expression, lines: [] as string[], limit: 0, hits: [] as number[] });
  const script = new Script(
    "hits = []; for (let i = 0; i < lines.length && hits.length < limit; i++) if (expression.test(lines[i])) hits.push(i);",
  );
  let spent = 0;
  return (text, limit) => {
    const lines = linesOf(text);
    sandbox.lines = lines;
    sandbox.limit = limit;
    const begun = performance.now();
    try {
      script.runInContext(sandbox, { timeout: maxMsPerFile });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      throw tooLong();
    }
    spent += performance.now() - begun;
    if (spent > maxMs) throw tooLong();
    return select(lines, Array.from(sandbox.hits as number[]));
  };
}

const tooLong = (): ToolFailure =>
  new ToolFailure(
    "timed-out",
    "The expression takes too long on this code. Use a simpler one, or one folder.",
  );

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    try {
      return new RegExp(pattern);
    } catch (error) {
      throw new ToolFailure("invalid-input", error instanceof Error ? error.message : String(error));
    }
  }
}
