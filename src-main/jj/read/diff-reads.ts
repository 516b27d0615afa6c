import { randomUUID } from "node:crypto";
import { filesOfDiff, isQuotedByGit, quotedByGit } from "#shared/domain/files/diff.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { ContentReader } from "../ports/graph-reader.ts";
import { markers, noPrefixes, present, type ReadAccess, revsetLog } from "./read-access.ts";
import { quoted, readJson } from "./row-template.ts";

/** Makes the reads of what leads from one commit to another. */
export function createDiffReads({
  jj,
  root,
  at,
}: ReadAccess): Pick<ContentReader, "diff" | "diffs" | "interdiff"> & DiffNames {
  return {
    async diff({ commit, from, operation, limit = Number.POSITIVE_INFINITY, paths = [] }) {
      const filesets = paths.map((path) => `root:${quoted(path)}`);
      const lines: string[] = [];
      let characters = 0;
      const add = (line: string): boolean => {
        // One endless line must not come whole either.
        lines.push(startOf(line, limit + 1));
        characters += line.length + 1;
        return characters <= limit;
      };
      const before = [...(await at(operation)), ...noPrefixes, ...markers];
      const files =
        from === undefined
          ? await ownDiff({ jj, root }, before, commit, filesets, add)
          : await diffBetween({ jj, root }, before, ["--from", from, "--to", commit], filesets, add);
      const safe = files.some(isOdd) ? quoteNames(lines, files).lines : lines;
      const text = safe.map((line) => `${line}\n`).join("");
      // A name that was cut in its middle is left out whole.
      return characters > limit ? text.padEnd(limit + 1) : text;
    },

    async diffs(commits, { operation } = {}) {
      if (commits.length === 0) return new Map();
      const before = [...(await at(operation)), ...noPrefixes, ...markers];
      return ownDiffs({ jj, root }, before, commits);
    },

    async diffNames({ commit, from, operation }) {
      const range = from === undefined ? ["-r", commit] : ["--from", from, "--to", commit];
      return namesOf({ jj, root }, [...(await at(operation)), ...noPrefixes], range);
    },

    async interdiff({ from, to }) {
      const current = await at(undefined);
      const asked = async (...format: readonly string[]): Promise<string> => {
        const { stdout } = await jj.run({
          args: [...current, ...noPrefixes, ...markers, "interdiff", ...format, "--from", from, "--to", to],
          cwd: root,
        });
        return stdout;
      };
      const changed = async (commit: string): Promise<readonly string[]> =>
        (await namesOf({ jj, root }, [...current, ...noPrefixes], ["-r", commit])).flatMap(
          ({ path, source }) => [path, source],
        );
      const [output, before, after] = await Promise.all([asked("--git"), changed(from), changed(to)]);
      const diff = withoutDescription(output);
      // Its own list of names is not available in a form that distinguishes line ends in names.
      const known = [...new Set([...before, ...after])].map((path) => ({ path, source: path }));
      if (!known.some(isOdd)) return { diff, files: filesOfDiff(diff).map(({ path }) => path) };
      const { lines, files } = quoteNames(diff.split("\n"), known);
      return { diff: lines.map((line) => `${line}\n`).join(""), files: files.map(({ path }) => path) };
    },
  };
}

/**
 * jj writes names into the headers of a diff as they are, so that one with a line end in it passes for lines of the diff,
 * or for another file. Here they are quoted as git quotes them; which names there are is known from elsewhere.
 *
 * A file of a diff, from a template and not from its text.
 */
interface NamedFile {
  readonly path: string;
  /** Another name where it was renamed or copied. */
  readonly source: string;
}

/** Lines between a header and its hunks that hold no name. */
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
const isOdd = ({ path, source }: NamedFile): boolean => isQuotedByGit(path) || isQuotedByGit(source);

/** Unlike those of a file of this name its lines bear no prefix. */
const description =
  /^diff --git a\/JJ-COMMIT-DESCRIPTION b\/JJ-COMMIT-DESCRIPTION\n--- JJ-COMMIT-DESCRIPTION\n/u;

/** jj shows a changed description as a change of a file that neither commit has. */
const withoutDescription = (diff: string): string =>
  diff
    .split(/^(?=diff --git )/mu)
    .filter((section) => !description.test(section))
    .join("");

type Started = Pick<ReadAccess, "jj" | "root">;

/** What one commit does, names before text, in one process. @returns its files; `add` gets its lines */
async function ownDiff(
  { jj, root }: Started,
  before: readonly string[],
  commit: string,
  filesets: readonly string[],
  add: (line: string) => boolean,
): Promise<readonly NamedFile[]> {
  const names: (readonly [string, string])[] = [];
  let hasNames = false;
  const args = [...before, ...revsetLog(commit), "-T", namesAndDiff(filesets)];
  await jj.lines({ args, cwd: root }, (line) => {
    if (hasNames) return add(line);
    hasNames = true;
    names.push(...(readJson(line) as readonly (readonly [string, string])[]));
    return true;
  });
  return names.map(([source, path]) => ({ source, path }));
}

/** A template of the names of a commit's files, in a line of JSON, and of its diff. */
function namesAndDiff(filesets: readonly string[] = []): string {
  const diff = `self.diff(${filesets.length === 0 ? "" : quoted(filesets.join(" | "))})`;
  const names = `"[" ++ ${diff}.files().map(|f| "[" ++ json(f.source().path()) ++ "," ++ json(f.path()) ++ "]").join(",") ++ "]"`;
  return `${names} ++ "\\n" ++ ${diff}.git()`;
}

/** What each of many commits does. */
async function ownDiffs(
  { jj, root }: Started,
  before: readonly string[],
  commits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  // No file can hold what is made up for this one read.
  const mark = `hox-${randomUUID()} `;
  const read = new Map<string, string[]>();
  let lines: string[] = [];
  const template = `"${mark}" ++ commit_id ++ "\\n" ++ ${namesAndDiff()}`;
  const revset = commits.map(present).join(" | ");
  await jj.lines({ args: [...before, ...revsetLog(revset), "-T", template], cwd: root }, (line) => {
    if (line.startsWith(mark)) {
      lines = [];
      read.set(line.slice(mark.length), lines);
    } else lines.push(line);
    return true;
  });
  return new Map(
    [...read].map(([commit, [names = "[]", ...diff]]) => {
      const files = (readJson(names) as readonly (readonly [string, string])[]).map(([source, path]) => ({
        source,
        path,
      }));
      const safe = files.some(isOdd) ? quoteNames(diff, files).lines : diff;
      return [commit, safe.map((line) => `${line}\n`).join("")];
    }),
  );
}

/** The diff from one commit to another. Templates cannot express it, so its names need a separate process. */
async function diffBetween(
  { jj, root }: Started,
  before: readonly string[],
  range: readonly string[],
  filesets: readonly string[],
  add: (line: string) => boolean,
): Promise<readonly NamedFile[]> {
  const all = filesets.length === 0 ? range : [...range, "--", ...filesets];
  const [files] = await Promise.all([
    namesOf({ jj, root }, before, all),
    jj.lines({ args: [...before, "diff", "--git", ...all], cwd: root }, add),
  ]);
  return files;
}

/** A file of a diff. */
export interface DiffName extends NamedFile {
  /** Whether its old name is gone: true for a rename, false for a copy. */
  readonly isMoved: boolean;
}

export interface DiffNames {
  /** The files of a diff of one commit against its parents, or between two commits. */
  diffNames(options: { commit: string; from?: string; operation?: string }): Promise<readonly DiffName[]>;
}

/** The files of a diff, from a template: names in its text could contain anything. */
async function namesOf(
  { jj, root }: Started,
  before: readonly string[],
  range: readonly string[],
): Promise<readonly DiffName[]> {
  const template =
    'json(self.source().path()) ++ "," ++ json(self.path()) ++ "," ++ json(self.status()) ++ "\\n"';
  const { stdout } = await jj.run({ args: [...before, "diff", "-T", template, ...range], cwd: root });
  return stdout.split("\n").flatMap((line): readonly DiffName[] => {
    if (line === "") return [];
    const [source, path, status] = readJson(`[${line}]`) as [string, string, string];
    return [{ source, path, isMoved: status === "renamed" }];
  });
}
