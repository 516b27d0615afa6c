import { isOnlyCheckout } from "#shared/domain/change-metadata/address.ts";
import { readMetadata } from "#shared/domain/change-metadata/trailers.ts";
import type { Change } from "#shared/graph/change.ts";
import { jjFailure } from "../process/errors.ts";

/** A text as a string literal of jj's template and revset languages. */
export const quoted = (text: string): string =>
  `"${text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t")
    .replaceAll("\0", "\\0")}"`;

/**
 * One JSON array per commit. Trailers are parsed here and not by jj: asked in bulk they take eight times as long
 * as everything else together. `empty`, `files()` and `shortest()` are dear too and absent.
 * @param shown template expression: true when the row belongs to the answer and is not only there for its names
 * @param gone template expression: true when the row left the answer
 */
export const rowTemplate = (shown = "true", gone = "self.hidden()"): string =>
  [
    '"[" ++ json(self.commit_id())',
    "json(self.change_id())",
    "json(self.parents().map(|c| c.commit_id()))",
    "json(self.description())",
    "json(self.author().name())",
    "json(self.author().email())",
    'self.committer().timestamp().format("%s")',
    'if(self.immutable(), "1", "0")',
    'if(self.divergent(), "1", "0")',
    'if(self.conflict(), "1", "0")',
    "json(self.local_bookmarks().map(|b| b.name()))",
    "json(self.working_copies().map(|w| w.name()))",
    `if(${gone}, "1", "0")`,
    `if(${shown}, "1", "0")`,
    'if(self.current_working_copy(), "1", "0") ++ "]\\n"',
  ].join(' ++ "," ++ ');

type Cells = readonly [
  commitId: string,
  changeId: string,
  parents: readonly string[],
  description: string,
  name: string,
  email: string,
  seconds: number,
  immutable: 0 | 1,
  divergent: 0 | 1,
  conflict: 0 | 1,
  bookmarks: readonly string[],
  workspaces: readonly string[],
  gone: 0 | 1,
  shown: 0 | 1,
  current: 0 | 1,
];

export interface Row {
  readonly change: Change;
  readonly bookmarks: readonly string[];
  readonly workspaces: readonly string[];
  readonly gone: boolean;
  /** It belongs to the answer, and not only to a checkout that is gone after a moment. */
  readonly shown: boolean;
  /** It is the working copy of the workspace that was asked. */
  readonly current: boolean;
}

/** Reads one line that `rowTemplate` made. */
export function parseRow(line: string): Row {
  const cells = readJson(line) as Cells;
  return {
    change: {
      commitId: cells[0],
      changeId: cells[1],
      parents: cells[2],
      description: cells[3],
      author: { name: cells[4], email: cells[5] },
      timestamp: cells[6] * 1000,
      metadata: readMetadata(cells[3]),
      immutable: cells[7] === 1,
      divergent: cells[8] === 1,
      conflict: cells[9] === 1,
    },
    bookmarks: cells[10],
    workspaces: cells[11],
    gone: cells[12] === 1,
    shown: cells[13] === 1 && !isOnlyCheckout({ description: cells[3], workspaces: cells[11] }),
    current: cells[14] === 1,
  };
}

/**
 * Parses a template's output for a commit. jj continues when a part is unavailable, and writes the error in
 * its place.
 * @throws JjError for such an error, such as `missing-object` in a partial clone
 */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const begin = text.indexOf("<Error: ");
    const end = text.indexOf(">", begin);
    if (begin < 0 || end < 0) throw error;
    const words = text.slice(begin + "<Error: ".length, end);
    throw jjFailure([], null, `Error: ${words}`);
  }
}

/** Template: the paths in which a commit differs from its parents, as JSON on one line; a file that was moved has both. */
export const changedPaths =
  '"[" ++ self.diff().files().map(|f| if(f.status() == "renamed", json(f.source().path()) ++ ",") ++ json(f.path())).join(",") ++ "]"';

/** Template: the files in conflict with how many sides each has, as JSON on one line. */
export const conflictedFiles =
  '"[" ++ self.conflicted_files().map(|e| "[" ++ json(e.path()) ++ "," ++ e.conflict_side_count() ++ "]").join(",") ++ "]"';
