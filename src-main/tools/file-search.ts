import { createContext, Script } from "node:vm";
import { startOf } from "#shared/domain/cut-text.ts";
import { type Folder, isDenied } from "../disk/folder.ts";
import { walk } from "./file-listing.ts";
import { ToolFailure } from "./tool-failure.ts";
import { asFolder, type Place } from "./workspace-place.ts";

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
  place: Place,
  pattern: string,
  options: { regex: boolean; limit: number },
): Promise<readonly Match[]> {
  const find = finder(pattern, options.regex);
  const matches: Match[] = [];
  /** Whether there is room for more. */
  const look = async (parent: Folder, name: Buffer | string, path: string): Promise<boolean> => {
    const text = await textOf(parent, name);
    for (const { line, text: found } of text === null ? [] : find(text, options.limit - matches.length))
      matches.push({ path, line, text: startOf(found, maxLine) });
    return matches.length < options.limit;
  };
  const [name] = place.names;
  if (name !== undefined && place.stats?.isFile()) await look(place.parent, name, place.path);
  else
    await asFolder(place, place.path, async (folder) => {
      for await (const entry of walk(folder, place.path, true))
        if (entry.isFile && !(await look(entry.parent, entry.name, entry.path))) break;
    });
  return matches;
}

async function textOf(parent: Folder, name: Buffer | string): Promise<string | null> {
  try {
    const file = await parent.readFile(name, maxBytes);
    return "unreadable" in file || file.bytes.includes(0) ? null : file.bytes.toString("utf8");
  } catch (error) {
    // Closed to us: passed over like what is no text.
    if (isDenied(error)) return null;
    throw error;
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
