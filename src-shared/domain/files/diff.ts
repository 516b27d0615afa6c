/** One file of a git-format diff. */
export interface DiffFile {
  readonly path: string;
  /** Where its header begins in the diff, and where the next one does or the diff ends, in characters. */
  readonly at: number;
  readonly end: number;
  readonly removed: number;
  /** Lines that it gained, with their numbers in the new version, from 1. */
  readonly added: readonly { readonly line: number; readonly text: string }[];
  /** What it lost and gained, hunk by hunk. */
  readonly hunks: readonly DiffHunk[];
}

/** Lines without their ends, in order. */
export interface DiffHunk {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/**
 * The files of a git-format diff, in its order. A name with control characters must be quoted as git quotes it, or it
 * could pass for lines of the diff; `Repository.diff` sees to that.
 *
 * @param diff of any length; may be cut anywhere
 */
export function filesOfDiff(diff: string): readonly DiffFile[] {
  const files: {
    path: string;
    at: number;
    end: number;
    removed: number;
    added: { line: number; text: string }[];
    hunks: { removed: string[]; added: string[] }[];
  }[] = [];
  // How much of the hunk is left, old and new: a line of the file may look like a header.
  let [old, now, line] = [0, 0, 0];
  let at = 0;
  for (const text of diff.split("\n")) {
    const file = files.at(-1);
    if (file && (old > 0 || now > 0)) {
      if (text.startsWith("+")) {
        file.added.push({ line, text: text.slice(1) });
        file.hunks.at(-1)?.added.push(text.slice(1));
        line += 1;
        now -= 1;
      } else if (text.startsWith("-")) {
        file.removed += 1;
        file.hunks.at(-1)?.removed.push(text.slice(1));
        old -= 1;
      } else if (!text.startsWith("\\")) {
        line += 1;
        old -= 1;
        now -= 1;
      }
    } else {
      const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u.exec(text);
      const renamed = /^(?:rename|copy) to (.+)$/u.exec(text)?.[1];
      if (text.startsWith("diff --git ")) {
        if (file) file.end = at;
        const path = pathOf(text.slice("diff --git ".length));
        files.push({ path, at, end: diff.length, removed: 0, added: [], hunks: [] });
      } else if (hunk) {
        [old, line, now] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)];
        file?.hunks.push({ removed: [], added: [] });
      } else if (file && renamed !== undefined) file.path = unquoted(renamed);
    }
    at += text.length + 1;
  }
  return files;
}

/** The part of a diff that is about some files, whole and in its order. */
export const diffOfFiles = (diff: string, paths: ReadonlySet<string>): string =>
  filesOfDiff(diff)
    .filter(({ path }) => paths.has(path))
    .map(({ at, end }) => diff.slice(at, end))
    .join("");

/** A line that a change adds, from a git-format diff. */
export interface AddedLine {
  readonly path: string;
  /** 1-based, in the new version of the file. */
  readonly line: number;
  readonly text: string;
}

/** The lines that a git-format diff adds, file by file in its order. */
export const addedLines = (diff: string): readonly AddedLine[] =>
  filesOfDiff(diff).flatMap(({ path, added }) => added.map((one) => ({ path, ...one })));

/** Lines added and removed per file of a git-format diff. */
export const statOf = (
  diff: string,
): readonly { readonly path: string; readonly added: number; readonly removed: number }[] =>
  filesOfDiff(diff).map(({ path, added, removed }) => ({ path, added: added.length, removed }));

/**
 * The new name of `a/<old> b/<new>`. Without quotation marks only an unchanged name can be split in the
 * middle.
 */
function pathOf(names: string): string {
  const quotedName = /(?:^| )("b\/(?:[^"\\]|\\.)*")$/u.exec(names)?.[1];
  if (quotedName !== undefined) return unquoted(quotedName).slice(2);
  const half = (names.length - 1) / 2;
  if (names[half] === " " && names.slice(2, half) === names.slice(half + 3)) return names.slice(half + 3);
  const at = names.indexOf(" b/");
  return at < 0 ? names : names.slice(at + " b/".length);
}

const escapes: Readonly<Record<string, string>> = {
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  '"': '"',
  "\\": "\\",
};
const meanings = new Map(Object.entries(escapes).map(([sign, letter]) => [letter, sign]));

/** Whether git would quote a name: it holds a sign that could end or overwrite its line. */
export const isQuotedByGit = (name: string): boolean => /\p{Cc}/u.test(name);

/**
 * A name as git writes it in the headers of a diff.
 *
 * @param name with its `a/` or `b/`
 */
export const quotedByGit = (name: string): string =>
  isQuotedByGit(name)
    ? `"${name.replaceAll(/[\p{Cc}"\\]/gu, (sign) => `\\${escapes[sign] ?? sign.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`
    : name;

/** Octal numbers are bytes, of which several may be one sign; what is no UTF-8 is shown as what it is not. */
const unquoted = (name: string): string =>
  /^".*"$/su.test(name)
    ? name
        .slice(1, -1)
        .replaceAll(/(?:\\[0-7]{3})+|\\(.)/gsu, (signs, letter: string | undefined) =>
          letter === undefined ? textOfBytes(signs.slice(1).split("\\")) : (meanings.get(letter) ?? letter),
        )
    : name;

function textOfBytes(octal: readonly string[]): string {
  const bytes = octal.map((digits) => Number.parseInt(digits, 8) & 0xff);
  try {
    return decodeURIComponent(bytes.map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""));
  } catch {
    return bytes.map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : "\ufffd")).join("");
  }
}

/** Cuts a long diff so that the rest is a valid diff. */
const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/u;

/**
 * Cuts a Git-format diff at the end of a file; of one file alone, in the middle of a hunk whose head then says what is
 * left of it.
 * @param diff any number of files
 * @param limit characters that may be left, about
 * @returns a diff that can be read; all of it where it is short enough
 */
export function cutDiff(diff: string, limit: number): { readonly diff: string; readonly isCut: boolean } {
  if (diff.length <= limit) return { diff, isCut: false };
  const end = diff.lastIndexOf("\n", limit) + 1;
  const kept = diff.slice(0, end);
  const lastFile = kept.lastIndexOf("\ndiff --git ");
  // A whole file is worth more than the beginning of another one.
  if (lastFile > 0) return { diff: kept.slice(0, lastFile + 1), isCut: true };
  return { diff: mendedLastHunk(kept), isCut: true };
}

/** The last hunk's head counts the lines that are there. */
function mendedLastHunk(diff: string): string {
  const start = diff.startsWith("@@ ") ? 0 : diff.lastIndexOf("\n@@ ") + 1;
  if (start === 0 && !diff.startsWith("@@ ")) return diff;
  const headEnd = diff.indexOf("\n", start);
  const [, from = "0", to = "0", words = ""] = hunkHead.exec(diff.slice(start, headEnd)) ?? [];
  const lines = diff
    .slice(headEnd + 1)
    .split("\n")
    .slice(0, -1);
  const removed = lines.filter((line) => line.startsWith("-") || line.startsWith(" ")).length;
  const added = lines.filter((line) => line.startsWith("+") || line.startsWith(" ")).length;
  // Nothing of it is left: without it the file is whole up to there.
  if (removed + added === 0) return diff.slice(0, start);
  return `${diff.slice(0, start)}@@ -${from},${removed} +${to},${added} @@${words}\n${diff.slice(headEnd + 1)}`;
}

/**
 * How many lines a file gained and lost, for a line of text.
 *
 * @returns `+3 -1`; `no lines` where none can be counted: of what is binary, empty, or was only moved
 */
export const lineCounts = ({
  added,
  removed,
}: {
  readonly added: number;
  readonly removed: number;
}): string => (added + removed === 0 ? "no lines" : `+${added} -${removed}`);
