import { createContext, Script } from "node:vm";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { containsText } from "#shared/domain/text/occurrences.ts";
import { type Folder, isDenied } from "../disk/folder.ts";
import { walk } from "./file-listing.ts";
import type { IgnoreRules } from "./sandbox/ignore-rules.ts";
import { ToolFailure } from "./tool-failure.ts";
import type { FoundLine, SearchResult } from "./tool-interface.ts";
import { asFolder, type Place } from "./workspace-place.ts";

export interface SearchOptions {
  readonly regex: boolean;
  readonly ignoreCase: boolean;
  readonly limit: number;
  /** Lines before and after each match. */
  readonly context: number;
  /** Of the folders above; null: what is ignored is searched too. */
  readonly rules: IgnoreRules | null;
  readonly matches: ((path: string) => boolean) | null;
}

/** Of a file among others, and of one that was asked for alone. */
const maxBytes = { among: 1_000_000, alone: 50_000_000 };
const maxLine = 300;
/** An expression that needs longer on one file would hold up every other agent. */
const maxMsPerFile = 100;
/** The same for one search: the thousand files of a repository add up. */
const maxMs = 2_000;

/** Lines that match, at most `limit`; binary files are passed over, and very large ones are named. */
export async function searchFiles(
  place: Place,
  pattern: string,
  options: SearchOptions,
): Promise<SearchResult> {
  const find = finder(pattern, options);
  const matches: FoundLine[] = [];
  const passedOver: string[] = [];
  /** Whether there is room for more. */
  const look = async (
    parent: Folder,
    name: Buffer | string,
    { path, most }: { readonly path: string; readonly most: number },
  ): Promise<boolean> => {
    const text = await textOf(parent, name, most);
    if (text === "too-large") passedOver.push(path);
    if (text === null || text === "too-large") return true;
    for (const found of find(text.content, options.limit - matches.length)) matches.push({ path, ...found });
    return matches.length < options.limit;
  };
  const [name] = place.names;
  if (name !== undefined && place.stats?.isFile())
    await look(place.parent, name, { path: place.path, most: maxBytes.alone });
  else
    await asFolder(place, place.path, async (folder) => {
      for await (const entry of walk(folder, place.path, { recursive: true, rules: options.rules }))
        if (
          entry.isFile &&
          (options.matches?.(entry.path) ?? true) &&
          !(await look(entry.parent, entry.name, { path: entry.path, most: maxBytes.among }))
        )
          break;
    });
  return { matches, passedOver };
}

/** Null: no text, or not for us. */
async function textOf(
  parent: Folder,
  name: Buffer | string,
  most: number,
): Promise<{ readonly content: string } | "too-large" | null> {
  try {
    const file = await parent.readFile(name, most);
    if ("unreadable" in file) return file.unreadable === "too-large" ? "too-large" : null;
    return file.bytes.includes(0) ? null : { content: file.bytes.toString("utf8") };
  } catch (error) {
    // Closed to us: passed over like what is no text.
    if (isDenied(error)) return null;
    throw error;
  }
}

type Found = readonly Omit<FoundLine, "path">[];

function finder(
  pattern: string,
  { regex, ignoreCase, context }: SearchOptions,
): (text: string, limit: number) => Found {
  const linesOf = (text: string): string[] => text.split(/\r?\n/);
  const select = (lines: string[], hits: readonly number[]): Found =>
    hits.map((index) => {
      const around = (from: number, to: number): string[] =>
        lines.slice(Math.max(0, from), to).map((line) => startOf(line, maxLine));
      return {
        line: index + 1,
        text: startOf(lines[index] ?? "", maxLine),
        before: around(index - context, index),
        after: around(index + 1, index + 1 + context),
      };
    });
  if (!regex) {
    const spell = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
    const wanted = spell(pattern);
    return (text, limit) => {
      if (!containsText(spell(text), wanted)) return [];
      const lines = linesOf(text);
      const hits = lines.flatMap((line, index) => (containsText(spell(line), wanted) ? [index] : []));
      return select(lines, hits.slice(0, limit));
    };
  }
  const expression = compile(pattern, ignoreCase ? "i" : "");
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

function compile(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, `u${flags}`);
  } catch {
    try {
      return new RegExp(pattern, flags);
    } catch (error) {
      throw new ToolFailure("invalid-input", error instanceof Error ? error.message : String(error));
    }
  }
}
