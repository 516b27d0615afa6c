import { isQuotedByGit } from "#shared/domain/files/diff.ts";
import { type CommitStore, isRootCommit, keepNewest } from "../graph-memory/commit-store.ts";
import type { ChangedFile, ConflictedFile } from "../ports/graph-reader.ts";
import type { Repository } from "../ports/repository-interface.ts";
import type { DiffName } from "./diff-reads.ts";
import type { Reader } from "./reader.ts";

/** Cached reads of commits' contents: a new description keeps the files. */
type ContentReader = Pick<
  Repository,
  | "diff"
  | "diffFiles"
  | "hasSameFiles"
  | "changedFiles"
  | "changedPaths"
  | "listFiles"
  | "readFile"
  | "conflictedFiles"
  | "treeOf"
>;

/** Moved files are there under both names. */
export interface KnownFiles {
  readonly paths: readonly string[];
  readonly conflicts: readonly ConflictedFile[];
}

export interface RememberedContents extends ContentReader {
  /** Adds to the cache in which paths a commit differs from its parents and is in conflict, and the whole diff if that is known too. */
  learn(commit: string, learned: KnownFiles & { readonly diff?: string }): Promise<void>;
  /** Paths in which a commit differs from its parents and is in conflict; undefined where that takes a process. */
  knownFiles(commit: string): Promise<KnownFiles | undefined>;
}

/** Two sets of files. */
interface Difference {
  readonly isNone: boolean;
  /** Equal for the same files. Conflicts are shown with the commits that brought them: then for the same commits only. */
  readonly key: string;
}

/** The parent of a first commit: Git's empty tree. */
const noFiles = { files: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", change: { conflict: false } };
const maxAnswers = 256;
const maxLists = 4;
const maxFiles = 32;
/** Characters of one diff, or bytes of one file, that is kept. */
const maxCachedLength = 200_000;

/** @param from default: the parent, if there is one; undefined if files do not tell */
async function differenceIn(
  commits: CommitStore,
  commit: string,
  from?: string,
): Promise<Difference | undefined> {
  const to = await commits.read(commit);
  const [parent = "", ...others] = from === undefined ? (to?.change.parents ?? []) : [from];
  if (!to || others.length > 0) return undefined;
  const base = isRootCommit(parent) ? noFiles : await commits.read(parent);
  // A parent whose object cannot be read stands for its files by its id.
  const isNamed = from === undefined && !to.change.conflict;
  if (!base) return isNamed ? { isNone: false, key: `${parent} ${to.files}` } : undefined;
  const hasConflict = to.change.conflict || base.change.conflict;
  return {
    isNone: base.files === to.files,
    key: hasConflict ? `${parent} ${commit}` : `${base.files} ${to.files}`,
  };
}

const createAnswers = () => ({
  diffs: new Map<string, string>(),
  changed: new Map<string, readonly ChangedFile[]>(),
  paths: new Map<string, readonly string[]>(),
  files: new Map<string, Uint8Array>(),
  conflicts: new Map<string, readonly ConflictedFile[]>(),
});

/** Several ask for these at the same moment: for the card of a result, and to judge it. */
function rememberDiffFiles(
  reader: Reader,
  differenceOf: (commit: string, from?: string) => Promise<Difference | undefined>,
): ContentReader["diffFiles"] {
  const answers = new Map<string, Promise<readonly DiffName[]>>();
  const names = async (options: Parameters<Reader["diffNames"]>[0]): Promise<readonly DiffName[]> => {
    const difference = await differenceOf(options.commit, options.from);
    if (difference === undefined) return reader.diffNames(options);
    const { isNone, key } = difference;
    if (isNone) return [];
    const known = answers.get(key);
    if (known) return known;
    const asked = reader.diffNames(options);
    keepNewest(answers, maxAnswers, key, asked);
    asked.catch(() => answers.delete(key));
    return asked;
  };
  return async ({ includesOldNames = false, ...options }) =>
    (await names(options)).flatMap(({ path, source, isMoved }) =>
      includesOldNames && isMoved ? [source, path] : [path],
    );
}

/** Whoever asks while the files of a commit are listed waits for the same answer. */
function rememberLists(reader: Reader, commits: CommitStore): ContentReader["listFiles"] {
  const answers = new Map<string, Promise<readonly string[]>>();
  return async (commit, options) => {
    const tree = (await commits.read(commit))?.files;
    if (tree === undefined) return reader.listFiles(commit, options);
    const known = answers.get(tree);
    if (known) return known;
    const asked = reader.listFiles(commit, options);
    keepNewest(answers, maxLists, tree, asked);
    asked.catch(() => answers.delete(tree));
    return asked;
  };
}

/** Whether a name could pass for lines of the diff: those a reader quotes. That of a file that was copied is in the diff alone. */
const namesMayMislead = (paths: readonly string[], diff: string): boolean =>
  paths.some(isQuotedByGit) || /^copy from /mu.test(diff);

/**
 * Adds a cache to a reader. Trees' ids tell whether files differ at all, and which queries are equal; jj is
 * asked for the rest.
 */
export function rememberContents(reader: Reader, commits: CommitStore): RememberedContents {
  const { diffs, changed, paths, files, conflicts } = createAnswers();
  const differenceOf = (commit: string, from?: string) => differenceIn(commits, commit, from);

  const changedFiles: ContentReader["changedFiles"] = async (commit, options) => {
    const difference = await differenceOf(commit);
    if (difference?.isNone) return [];
    const key = difference?.key;
    const known = key === undefined ? undefined : changed.get(key);
    if (known) return known;
    const found = await reader.changedFiles(commit, options);
    if (key !== undefined) keepNewest(changed, maxAnswers, key, found);
    return found;
  };

  return {
    async learn(commit, learned) {
      keepNewest(conflicts, maxAnswers, commit, learned.conflicts);
      const key = (await differenceOf(commit))?.key;
      if (key === undefined) return;
      keepNewest(paths, maxAnswers, key, learned.paths);
      const { diff } = learned;
      if (diff !== undefined && !namesMayMislead(learned.paths, diff))
        keepNewest(diffs, maxAnswers, key, diff);
    },

    async knownFiles(commit) {
      const { isNone, key = "" } = (await differenceOf(commit)) ?? {};
      const inConflict = (await commits.read(commit))?.change.conflict ? conflicts.get(commit) : [];
      const its = isNone ? [] : (paths.get(key) ?? changed.get(key)?.map(({ path }) => path));
      return its && inConflict && { paths: its, conflicts: inConflict };
    },

    async hasSameFiles(commit, other) {
      const [one, another] = [await commits.read(commit), await commits.read(other)];
      if (one && another) {
        if (one.files === another.files) return true;
        // Different conflicts may show the same text.
        if (!one.change.conflict && !another.change.conflict) return false;
      }
      return (await reader.diff({ commit, from: other, limit: 0 })).trim() === "";
    },

    changedFiles,

    async treeOf(commit) {
      const object = await commits.read(commit);
      return object === undefined || object.change.conflict ? null : object.files;
    },

    async changedPaths(commit, options) {
      const key = (await differenceOf(commit))?.key;
      const known = key === undefined ? undefined : paths.get(key);
      return known ?? (await changedFiles(commit, options)).map(({ path }) => path);
    },

    async diff(options) {
      const { commit, from, limit = Number.POSITIVE_INFINITY } = options;
      const difference = await differenceOf(commit, from);
      if (difference?.isNone) return "";
      const key = options.paths === undefined ? difference?.key : undefined;
      const known = key === undefined ? undefined : diffs.get(key);
      if (known !== undefined) return known.slice(0, limit + 1);
      const text = await reader.diff(options);
      const isWhole = text.length <= limit && text.length <= maxCachedLength;
      if (key !== undefined && isWhole) keepNewest(diffs, maxAnswers, key, text);
      return text;
    },

    diffFiles: rememberDiffFiles(reader, differenceOf),

    listFiles: rememberLists(reader, commits),

    async readFile(commit, path, options) {
      const object = await commits.read(commit);
      const key = object && !object.change.conflict ? `${object.files} ${path}` : undefined;
      const known = key === undefined ? undefined : files.get(key);
      if (known) return known.slice();
      const bytes = await reader.readFile(commit, path, options);
      if (key !== undefined && bytes.length <= maxCachedLength)
        keepNewest(files, maxFiles, key, bytes.slice());
      return bytes;
    },

    async conflictedFiles(commit, options) {
      const object = await commits.read(commit);
      if (object && !object.change.conflict) return [];
      const known = conflicts.get(commit);
      if (known) return known;
      const found = await reader.conflictedFiles(commit, options);
      if (object) keepNewest(conflicts, maxAnswers, commit, found);
      return found;
    },
  };
}
