/** How often lines and tests occur more, or less, after a change than before it. */

import { filesOfDiff } from "../files/diff.ts";
import { startOf, trimEndOf } from "../text/format-text.ts";
import { testNames } from "./test-names.ts";

/** How often a line or test occurs more (or less) after a change than before it. Independent of how a diff aligns lines. */
export type Net = Map<string, number>;

export interface Items {
  readonly lines: Net;
  readonly tests: Net;
}
export type Kind = keyof Items;

interface FileChange extends Items {
  readonly isNew: boolean;
  /** Where the change renamed the file. */
  readonly oldName: string | null;
  /** Its parents hold a conflict here: some of the lines before it are those of several sides. */
  readonly isConflicted: boolean;
  /** Lines that say nothing about the work, such as imports: one task may delete them and another one need them. */
  readonly common: ReadonlySet<string>;
}

/** By path, after the change. */
export type Changes = ReadonlyMap<string, FileChange>;

/** @param diff in Git format, of any length */
export function changesOf(diff: string): Changes {
  const changes = new Map<string, FileChange>();
  for (const { path, at, end } of filesOfDiff(diff)) {
    const text = diff.slice(at, end).split("\n");
    const first = text.findIndex((line) => line.startsWith("@@ "));
    const header = first < 0 ? text : text.slice(0, first);
    const has = (start: string): boolean => header.some((line) => line.startsWith(start));
    const body = first < 0 ? [] : text.slice(first);
    const before = linesAt(body, "-");
    const after = linesAt(body, "+");
    const lines: Net = new Map();
    const tests: Net = new Map();
    for (const line of before) add(lines, comparable(line), -1);
    for (const line of after) add(lines, comparable(line), 1);
    for (const name of testNames(path, before.join("\n"))) add(tests, name, -1);
    for (const name of testNames(path, after.join("\n"))) add(tests, name, 1);
    const isNew = has("new file mode");
    // Without lines a file that is new or deleted is all that there is to count: a picture, or an empty file.
    if (body.length === 0 && isNew) lines.set("\0file", 1);
    if (body.length === 0 && has("deleted file mode")) lines.set("\0file", -1);
    changes.set(path, {
      ...{ lines, tests, isNew },
      oldName: header.find((line) => line.startsWith(renamed))?.slice(renamed.length) ?? null,
      isConflicted: before.some((line) => line.startsWith("<<<<<<< ")),
      common: new Set(before.filter(isCommon).map(comparable)),
    });
  }
  return changes;
}

const renamed = "rename from ";

/** What hunks show of one side, with an empty line between them. */
const linesAt = (body: readonly string[], sign: "-" | "+"): readonly string[] =>
  body.flatMap((line) => {
    if (line.startsWith("@@ ")) return [""];
    return line.startsWith(" ") || line.startsWith(sign) ? [line.slice(1)] : [];
  });

/** What of a line says something, however a formatter writes it; empty for a line of signs alone. */
function comparable(line: string): string {
  if (!/[\p{L}\p{N}]/u.test(line)) return "";
  const text = line.trim().replaceAll(/\s+/gu, " ").replaceAll(/['`]/gu, '"');
  // Only between two words does a space say something.
  return trimEndOf(text.replaceAll(/(?<![\p{L}\p{N}_$]) | (?![\p{L}\p{N}_$])/gu, ""), ",;");
}

const importing =
  /^(?:(?:import|using|use|package|require|require_relative|extern crate) |# ?include\b|@import\b|from \S+ import\b|(?:\} ?)?from ["'])|\brequire ?\(/u;
const word = /[\p{L}\p{N}_]+/gu;
const keywords = new Set(
  "begin break case catch continue default do done else end esac except false fi finally loop nil none null ok pass private protected public return self then this throw true try undefined".split(
    " ",
  ),
);

/** An import, or a line of keywords alone: many places have it, and none of them means another one. */
function isCommon(line: string): boolean {
  const text = startOf(line.trim(), 300).replaceAll(/\s+/gu, " ");
  return importing.test(text) || (text.match(word) ?? []).every((one) => keywords.has(one.toLowerCase()));
}

export function add(net: Net, item: string, by: number): void {
  if (item !== "") net.set(item, (net.get(item) ?? 0) + by);
}

const kinds: readonly Kind[] = ["lines", "tests"];

/** What a change added (1) or removed (-1), in whatever file: it may have renamed the file at the same time. */
export function sumsOf(changes: Changes, by: 1 | -1): Items {
  const sums: Items = { lines: new Map(), tests: new Map() };
  for (const change of changes.values())
    for (const kind of kinds)
      for (const [item, net] of change[kind]) if (net * by > 0) add(sums[kind], item, net * by);
  return sums;
}

/**
 * What the result gained beyond what tasks added in the same file: there lines of other files may have gone. What a task
 * removed elsewhere it only moved.
 */
export function unclaimed(
  kept: Changes,
  works: readonly { readonly changes: Changes; readonly gone: Items }[],
): Items {
  const left: Items = { lines: new Map(), tests: new Map() };
  for (const [path, change] of kept)
    for (const kind of kinds)
      for (const [item, net] of change[kind]) {
        const claimed = Math.max(
          0,
          ...works.map(
            ({ changes, gone }) => (changes.get(path)?.[kind].get(item) ?? 0) - (gone[kind].get(item) ?? 0),
          ),
        );
        if (net > claimed) add(left[kind], item, net - claimed);
      }
  return left;
}

/** What a file is called in the result, by a name that it had on the way there. */
export function newNames(result: Changes, others: readonly Changes[]): (path: string) => string {
  const names = new Map<string, string>();
  for (const [path, { oldName }] of result) if (oldName !== null) names.set(oldName, path);
  for (const changes of others)
    for (const [path, { oldName }] of changes) {
      const now = oldName === null ? undefined : names.get(oldName);
      if (now !== undefined && now !== path) names.set(path, now);
    }
  return (path) => names.get(path) ?? path;
}

/** The same changes under other names of their files; two files that became one are counted as one. */
export function atNewNames(changes: Changes, nameOf: (path: string) => string): Changes {
  const now = new Map<string, FileChange>();
  for (const [path, change] of changes) {
    const name = nameOf(path);
    const there = now.get(name);
    now.set(name, there === undefined ? change : sumOfBoth(there, change));
  }
  return now;
}

function sumOfBoth(one: FileChange, other: FileChange): FileChange {
  const both = (kind: Kind): Net => {
    const net = new Map(one[kind]);
    for (const [item, by] of other[kind]) add(net, item, by);
    return net;
  };
  return {
    ...{ lines: both("lines"), tests: both("tests"), oldName: one.oldName ?? other.oldName },
    isNew: one.isNew && other.isNew,
    isConflicted: one.isConflicted || other.isConflicted,
    common: new Set([...one.common, ...other.common]),
  };
}
