/**
 * jj writes names into the headers of a diff as they are, so that one with a line end in it passes for lines of the diff,
 * or for another file. Here they are quoted as git quotes them; which names there are is known from elsewhere.
 */

import { isQuotedByGit, quotedByGit } from "#shared/domain/files/diff.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";

/** A file of a diff, from a template and not from its text. */
export interface NamedFile {
  readonly path: string;
  /** Another name where it was renamed or copied. */
  readonly source: string;
}

/** What stands between a header and its hunks and holds no name. */
const nameless =
  /^(?:new file mode |deleted file mode |old mode |new mode |similarity index |dissimilarity index |index |--- \/dev\/null$|\+\+\+ \/dev\/null$|\\ )/u;

/**
 * A diff with every name that could break out of its line quoted.
 *
 * @param lines of a git-format diff; may be cut anywhere
 * @param known all files that the diff may be about
 * @returns the lines, and the files that they are about
 * @throws Error when the lines are about another file
 */
export function quoteNames(
  lines: readonly string[],
  known: readonly NamedFile[],
): { readonly lines: readonly string[]; readonly files: readonly NamedFile[] } {
  const headers = new Map<string, (readonly [NamedFile, readonly string[]])[]>();
  for (const file of known) {
    const header = `diff --git a/${file.source} b/${file.path}`.split("\n");
    const [first = ""] = header;
    headers.set(first, [...(headers.get(first) ?? []), [file, header]]);
  }
  const maxNameLength = Math.max(0, ...[...headers.values()].flat().map(([, header]) => header.length));
  const isAt = (at: number, wanted: readonly string[]): boolean =>
    wanted.every((line, offset) => lines[at + offset] === line);
  const written: string[] = [];
  const files: NamedFile[] = [];
  let at = 0;
  while (at < lines.length) {
    const first = lines[at] ?? "";
    const found = (headers.get(first) ?? [])
      .filter(([, header]) => isAt(at, header))
      // A longer one says more of what follows.
      .toSorted(([, one], [, other]) => other.length - one.length)[0];
    if (!found) {
      if (first === "" && at === lines.length - 1) break;
      // Cut in the middle of a name.
      if (lines.length - at <= maxNameLength) {
        written.push("\\ The rest is left out.");
        break;
      }
      throw new Error(`jj shows a file that the change does not have: ${quotedByGit(startOf(first, 200))}`);
    }
    const [file, header] = found;
    files.push(file);
    const a = quotedByGit(`a/${file.source}`);
    const b = quotedByGit(`b/${file.path}`);
    written.push(`diff --git ${a} ${b}`);
    at += header.length;
    const named = namedLines(file, a, b);
    let [old, now] = [0, 0];
    for (; at < lines.length; at++) {
      const line = lines[at] ?? "";
      if (old > 0 || now > 0) {
        if (line.startsWith("+")) now -= 1;
        else if (line.startsWith("-")) old -= 1;
        else if (!line.startsWith("\\")) [old, now] = [old - 1, now - 1];
        written.push(line);
        continue;
      }
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/u.exec(line);
      const name = named.find(([wanted]) => isAt(at, wanted));
      if (hunk) [old, now] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      else if (name) at += name[0].length - 1;
      else if (!nameless.test(line)) break;
      written.push(name && !hunk ? name[1] : line);
    }
  }
  return { lines: written, files };
}

/** Lines of a header that hold a name: as jj writes them, and as they are written here. */
function namedLines(
  { path, source }: NamedFile,
  a: string,
  b: string,
): readonly (readonly [readonly string[], string])[] {
  const both = (jj: string, ours: string): readonly [readonly string[], string] => [jj.split("\n"), ours];
  return [
    both(`--- a/${source}`, `--- ${a}`),
    both(`+++ b/${path}`, `+++ ${b}`),
    ...["rename", "copy"].flatMap((word) => [
      both(`${word} from ${source}`, `${word} from ${quotedByGit(source)}`),
      both(`${word} to ${path}`, `${word} to ${quotedByGit(path)}`),
    ]),
    both(`Binary files a/${source} and b/${path} differ`, `Binary files ${a} and ${b} differ`),
    both(`Binary files /dev/null and b/${path} differ`, `Binary files /dev/null and ${b} differ`),
    both(`Binary files a/${source} and /dev/null differ`, `Binary files ${a} and /dev/null differ`),
  ];
}

/** Whether Git would quote a name of a file. */
export const isOdd = ({ path, source }: NamedFile): boolean => isQuotedByGit(path) || isQuotedByGit(source);
