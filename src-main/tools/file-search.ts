import { searchExpression } from "#shared/domain/text/occurrences.ts";
import { type Folder, isDenied } from "../disk/folder.ts";
import { runInWorker, TextRefused } from "../worker-thread/run-in-worker.ts";
import { walk } from "./file-listing.ts";
import type { IgnoreRules } from "./sandbox/ignore-rules.ts";
import { type FoundLine, type SearchResult, ToolFailure } from "./tool-interface.ts";
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
/** What the worker thread looks through at once. */
const batch = { characters: 2_000_000, files: 200 };
/** An expression that needs longer in one search is stopped. Nobody else waits for it. */
const maxMs = 2_000;

/** Lines that match, at most `limit`; binary files are passed over, and very large ones are named. */
export async function searchFiles(
  place: Place,
  pattern: string,
  options: SearchOptions,
): Promise<SearchResult> {
  const lines = createLinesFinder(pattern, options);
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
    return lines.add(path, text.content);
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
  await lines.flush();
  return { matches: lines.matches, passedOver };
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

/** The `search` of one call: texts are collected, and looked through together in a worker thread. */
function createLinesFinder(pattern: string, { regex, ignoreCase, context, limit }: SearchOptions) {
  const matches: FoundLine[] = [];
  let waiting: { readonly path: string; readonly text: string }[] = [];
  let characters = 0;
  let spent = 0;
  if (regex)
    try {
      searchExpression(pattern, ignoreCase);
    } catch (error) {
      throw new ToolFailure("invalid-input", error instanceof Error ? error.message : String(error));
    }

  async function flush(): Promise<void> {
    const files = waiting;
    [waiting, characters] = [[], 0];
    if (files.length === 0) return;
    const texts = files.map(({ text }) => text);
    const { lines, ms } = await runInWorker(
      "findLines",
      { texts, pattern, regex, ignoreCase, context, limit: limit - matches.length },
      {
        what: "the files of the workspace",
        ...(regex ? { deadlineMs: Math.max(1, maxMs - spent) } : {}),
      },
    ).catch((error: unknown) => {
      throw error instanceof TextRefused ? refusalOf(error) : error;
    });
    spent += ms;
    for (const [at, found] of lines.entries())
      for (const line of found) matches.push({ path: files[at]?.path ?? "", ...line });
  }

  return {
    matches,
    flush,
    /** @returns whether there is room for more */
    async add(path: string, text: string): Promise<boolean> {
      waiting.push({ path, text });
      characters += text.length;
      if (characters >= batch.characters || waiting.length >= batch.files) await flush();
      return matches.length < limit;
    },
  };
}

const refusalOf = ({ reason }: TextRefused): ToolFailure =>
  reason === "time"
    ? new ToolFailure(
        "timed-out",
        "The expression takes too long on this code. Use a simpler one, or one folder.",
      )
    : new ToolFailure("too-large", "This is too much to search at once. Give one smaller file or folder.");
