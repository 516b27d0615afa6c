/**
 * Converts agent files of an earlier tool, whose format differs slightly: another name of the fork tool,
 * `tools: "."`, limits outside `limits`, names taken from the file name. (HIVE-1, HIVE-12)
 */
import { trimEndOf } from "../text/cut-text.ts";
import { frontMatterLines, linesOf } from "./front-matter.ts";
import { earlierForkTools } from "./tool-names.ts";

export interface MigratedText {
  readonly text: string;
  /** What becomes another line, in the order of the file. */
  readonly changes: readonly LineChange[];
}

export interface LineChange {
  /** 1-based, in the original file: a new line is inserted before it. */
  readonly line: number;
  /** Null: there was none. */
  readonly before: string | null;
  /** Null: it goes. */
  readonly after: string | null;
}

const earlierName = new RegExp(`\\b(?:${earlierForkTools.join("|")})\\b`, "gu");

/**
 * The same file in this version's format; unknown settings stay.
 *
 * @param path gives the name of an agent whose file has none
 */
export function migrateAgentText(path: string, text: string): MigratedText {
  const lines = linesOf(text);
  const last = frontMatterLines(lines)?.last ?? null;
  const changes: LineChange[] = [];
  if (last !== null) changes.push(...addedFields(path, lines, last), ...movedLimits(lines, last));
  lines.forEach((line, at) => {
    if (changes.some((change) => change.line === at + 1 && change.before !== null)) return;
    const after =
      last !== null && at < last && isDropped(line) ? null : line.replaceAll(earlierName, "fork_subagent");
    if (after !== line) changes.push({ line: at + 1, before: line, after });
  });
  const inOrder = changes.sort((a, b) => a.line - b.line);
  return {
    text: inOrder.length === 0 ? text : withChanges(lines, inOrder, text.includes("\r\n") ? "\r\n" : "\n"),
    changes: inOrder,
  };
}

/** A copy of the caller needs no file, and leaving tools out means all of them. */
const isDropped = (line: string): boolean =>
  /^context_mode\s*:/u.test(line) || /^tools\s*:\s*(?:"\."|'\.'|\.)\s*(?:#.*)?$/u.test(line);

/** Name and description, which every agent has now. */
function addedFields(path: string, lines: readonly string[], last: number): readonly LineChange[] {
  const has = (key: string): boolean =>
    lines.slice(1, last).some((line) => line.split(":", 1)[0]?.trimEnd() === key && line.includes(":"));
  const stem = (path.split("/").at(-1) ?? "").replace(/\.md$/u, "");
  const name = trimEndOf(
    stem
      .toLowerCase()
      .replaceAll(/[^a-z0-9_-]+/gu, "-")
      .replace(/^[-_]+/u, ""),
    "-",
  );
  const sentence = lines
    .slice(last + 1)
    .map((line) => line.replace(/^#+\s*/u, "").trim())
    .find((line) => line !== "");
  const added = (after: string): LineChange => ({ line: 2, before: null, after });
  return [
    ...(has("name") || name === "" ? [] : [added(`name: ${name}`)]),
    ...(has("description") || sentence === undefined
      ? []
      : [
          added(
            `description: ${JSON.stringify(sentence.slice(0, 200).replaceAll(earlierName, "fork_subagent"))}`,
          ),
        ]),
  ];
}

const limitLine = /^(timeout_seconds|max_turns)\s*:\s*\d+\s*(?:#.*)?$/u;

/** Limits next to the other settings move below `limits`. */
function movedLimits(lines: readonly string[], last: number): readonly LineChange[] {
  const front = lines.slice(0, last);
  if (front.some((line) => /^limits\s*:/u.test(line))) return [];
  const moved = front.flatMap((line, at) => (limitLine.test(line) ? [{ line: at + 1, before: line }] : []));
  const gone = moved.map((one): LineChange => ({ ...one, after: null }));
  const table = ["limits:", ...moved.map(({ before }) => `  ${before}`)].map(
    (after): LineChange => ({ line: last + 1, before: null, after }),
  );
  return moved.length === 0 ? [] : [...gone, ...table];
}

function withChanges(lines: readonly string[], changes: readonly LineChange[], lineEnd: string): string {
  const result = lines.flatMap((line, at) => {
    const here = changes.filter((change) => change.line === at + 1);
    const added = here.flatMap(({ before, after }) => (before === null && after !== null ? [after] : []));
    const replaced = here.find(({ before }) => before !== null);
    return [...added, ...(replaced === undefined ? [line] : replaced.after === null ? [] : [replaced.after])];
  });
  return result.join(lineEnd);
}
