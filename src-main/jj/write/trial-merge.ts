import { randomUUID } from "node:crypto";
import {
  type ContestedPlace,
  contestedPlaces,
  type FileEdit,
  writersOfPlace,
} from "#shared/domain/conflict/line-writers.ts";
import { filesOfDiff } from "#shared/domain/files/diff.ts";
import type { Change } from "#shared/graph/change.ts";
import type { TrialConflict, TrialPlace } from "../ports/repository-interface.ts";
import type { Jj } from "../process/process.ts";
import { exactFile, pinned } from "../read/read-access.ts";
import type { KnownFiles } from "../read/remembered-contents.ts";
import { quoted, readJson } from "../read/row-template.ts";
import { beginUnpublished, createdIn } from "../read/unpublished.ts";
import type { RepositoryParts } from "./writer-parts.ts";

/** One of the changes that are tried, or the merge of all. */
interface Tried {
  readonly commit: string;
  readonly change: string;
  readonly parents: readonly string[];
  readonly files: readonly string[];
  readonly conflicted: readonly string[];
}

const list = (items: string) => `"[" ++ ${items}.join(",") ++ "]"`;
const triedTemplate = [
  '"["',
  "json(self.commit_id())",
  '","',
  "json(self.change_id())",
  '","',
  list("self.parents().map(|p| json(p.commit_id()))"),
  '","',
  list("self.diff().files().map(|f| json(f.path()))"),
  '","',
  list("self.conflicted_files().map(|e| json(e.path()))"),
  '"]\\n"',
].join(" ++ ");

/** Command lines have a length limit. Files beyond it are attributed by their writers. */
const maxFilesRead = 200;

/** What is known of the changes that are tried. */
export interface Written {
  readonly tried: readonly Change[];
  /** By commit, also of those below. */
  readonly files: ReadonlyMap<string, KnownFiles>;
  /** What several of them write: nothing else can meet in a conflict. */
  readonly shared: readonly string[];
}

/**
 * Merges changes without publishing, and returns which of them conflict. No working copy is touched. (design
 * section 4, CARD-4)
 *
 * One jj process without conflicts, two or three with conflicts: the files and conflicts of every change are read
 * unless they are known, then all conflicted files of the merge at once, and jj names the commit of every side. So the
 * cost does not grow with the number of pairs. Where tried changes on top of each other edit such a file, their own diffs of
 * it, read with one more, tell whose lines a side has.
 * @param operation the operation to try it on
 * @param changes change ids; missing ones and ancestors of others are left out of the merge
 * @param written null: nothing is known of them
 * @returns conflicted files with the pairs of change ids that meet there, without existing conflicts
 */
export async function trialMerge(
  { jj, root, commits }: RepositoryParts,
  operation: string,
  changes: readonly string[],
  written: Written | null,
): Promise<readonly TrialConflict[]> {
  const all = changes.map((change) => `change_id(${change})`).join(" | ");
  const row = beginUnpublished(jj, root, operation, { actor: "radar" });
  const made = createdIn(await row.run(["new", "--no-edit", "-m", "", "--", `heads(${all})`]));
  const merged = (await commits.read(made.commitId))?.change;
  if (merged?.conflict === false) return [];
  const at = pinned(root, row.operation());

  const cached = merged && written ? await readShared({ jj, root }, at, merged, written) : null;
  const read = cached ?? (await readTried({ jj, root }, at, made.commitId, all));
  if (read === null) return [];
  const { parents, byCommit, contents } = read;
  const heads = parents.flatMap((parent) => byCommit.get(parent) ?? []);
  const met = [...contents].map(([path, text]) => {
    // Who holds a conflict in this file already is known to: that is not new, and its sides are not its own.
    const free = heads.filter((head) => !head.conflicted.includes(path));
    return { path, free, places: contestedPlaces(text) };
  });
  const stacks = createStacks(byCommit);
  const diffs = await ownDiffs(jj, root, at, stacks.thatShareFiles(met));
  return met.flatMap(({ path, free, places }): TrialConflict[] => {
    const editsOf = (head: Tried): readonly FileEdit[] =>
      stacks.writersOf(head, path).map(({ commit, change }) => ({
        change,
        hunks: diffs.get(commit)?.get(path) ?? [],
      }));
    const named = places.flatMap((place): TrialPlace[] => {
      const pairs = pairsIn(place, free, editsOf);
      return pairs.length > 0 ? [{ from: place.from, to: place.to, pairs }] : [];
    });
    // jj shows no sides where a file meets a folder or a link; then all who wrote to it may meet.
    const pairs =
      places.length > 0
        ? distinct(named.flatMap((one) => one.pairs))
        : pairsOfWriters(free.flatMap((head) => stacks.writersOf(head, path)[0]?.change ?? []));
    return pairs.length > 0 ? [{ path, pairs, places: named }] : [];
  });
}

/** A trial merge that is in conflict. */
interface ReadMerge {
  readonly parents: readonly string[];
  /** The changes that were tried. */
  readonly byCommit: ReadonlyMap<string, Tried>;
  /** Every file in conflict, with all sides as far as they were read. */
  readonly contents: ReadonlyMap<string, string>;
}

/** Reads a merge with one process, by what is known of the changes; null where what is in conflict is not among that. */
async function readShared(
  access: Pick<RepositoryParts, "jj" | "root">,
  at: readonly string[],
  { commitId, parents }: Change,
  { tried, files, shared }: Written,
): Promise<ReadMerge | null> {
  if (shared.length > maxFilesRead) return null;
  const shown = await shownFiles(access, at, commitId, shared);
  const contents = new Map(
    [...shown].flatMap(([path, { text, isConflict }]) => (isConflict ? [[path, text]] : [])),
  );
  const byCommit = new Map(
    tried.map(({ commitId: commit, changeId: change, parents: below }) => {
      const { paths = [], conflicts = [] } = files.get(commit) ?? {};
      const conflicted = conflicts.map(({ path }) => path);
      return [commit, { commit, change, parents: below, files: paths, conflicted }];
    }),
  );
  const isExplained =
    contents.size > 0 || [...byCommit.values()].some(({ conflicted }) => conflicted.length > 0);
  return isExplained ? { parents, byCommit, contents } : null;
}

/** The same with two, whatever is known; null where it is in no conflict. */
async function readTried(
  access: Pick<RepositoryParts, "jj" | "root">,
  at: readonly string[],
  merged: string,
  all: string,
): Promise<ReadMerge | null> {
  const byCommit = new Map<string, Tried>();
  await access.jj.lines(
    {
      args: [...at, "log", "--no-graph", "-r", `${merged} | ${all}`, "-T", triedTemplate],
      cwd: access.root,
    },
    (line) => {
      const [commit, change, parents, files, conflicted] = readJson(line) as [
        string,
        string,
        readonly string[],
        readonly string[],
        readonly string[],
      ];
      byCommit.set(commit, { commit, change, parents, files, conflicted });
      return undefined;
    },
  );
  const merge = byCommit.get(merged);
  if (!merge || merge.conflicted.length === 0 || merge.parents.length < 2) return null;
  const shown = await shownFiles(access, at, merged, merge.conflicted.slice(0, maxFilesRead));
  const contents = new Map(merge.conflicted.map((path) => [path, shown.get(path)?.text ?? ""]));
  return { parents: merge.parents, byCommit, contents };
}

type Pairs = TrialConflict["pairs"];

/** Makes what looks for writers in a head and the tried changes below it. */
function createStacks(byCommit: ReadonlyMap<string, Tried>) {
  const wrote = (one: Tried, path: string): boolean =>
    one.files.some((file) => file === path || file.startsWith(`${path}/`));
  /** Those that wrote the file, or in the folder of its name, the topmost first. */
  const writersOf = (head: Tried, path: string): readonly Tried[] => {
    const stack = new Set([head]);
    for (const one of stack)
      for (const parent of one.parents) {
        const below = byCommit.get(parent);
        if (below) stack.add(below);
      }
    return [...stack].filter((one) => wrote(one, path));
  };
  return {
    writersOf,
    /** The commits of stacks in which more than one wrote a file, with those files. */
    thatShareFiles(
      met: readonly {
        readonly path: string;
        readonly free: readonly Tried[];
        readonly places: readonly unknown[];
      }[],
    ): ReadonlyMap<string, readonly string[]> {
      const shared = new Map<string, string[]>();
      for (const { path, free, places } of met)
        for (const head of places.length > 0 ? free : []) {
          const writers = writersOf(head, path);
          for (const { commit } of writers.length > 1 ? writers : []) {
            const paths = shared.get(commit) ?? [];
            if (!paths.includes(path)) paths.push(path);
            shared.set(commit, paths);
          }
        }
      return shared;
    },
  };
}

/** What commits themselves do to some of their files, by commit and path. */
async function ownDiffs(
  jj: Jj,
  root: string,
  at: readonly string[],
  paths: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, ReadonlyMap<string, FileEdit["hunks"]>>> {
  if (paths.size === 0) return new Map();
  const files = [...new Set([...paths.values()].flat())];
  // A diff of one file each: no name has to be found in it.
  const template = [
    '"[" ++ json(self.commit_id())',
    ...files.map((path) => `json(stringify(self.diff(${quoted(exactFile(path))}).git(0)))`),
  ].join(' ++ "," ++ ');
  const found = new Map<string, ReadonlyMap<string, FileEdit["hunks"]>>();
  await jj.lines(
    {
      args: [...at, "log", "--no-graph", "-r", [...paths.keys()].join(" | "), "-T", `${template} ++ "]\\n"`],
      cwd: root,
    },
    (line) => {
      const [commit = "", ...diffs] = readJson(line) as readonly string[];
      found.set(
        commit,
        new Map(
          files.map((path, nth) => [path, filesOfDiff(diffs[nth] ?? "").flatMap(({ hunks }) => [...hunks])]),
        ),
      );
      return undefined;
    },
  );
  return found;
}

/** The changes that contradict each other in a place: those that wrote what the sides have there. */
function pairsIn(
  { pairs, bases }: ContestedPlace,
  heads: readonly Tried[],
  editsOf: (head: Tried) => readonly FileEdit[],
): Pairs {
  const writersOf = ({ label, text }: ContestedPlace["pairs"][number][number]): readonly string[] => {
    const head = headNamed(label, heads);
    if (head === undefined) return [];
    const writers = writersOfPlace(text, bases, editsOf(head));
    return writers.length > 0 ? writers : [head.change];
  };
  return distinct(
    pairs.flatMap(([one, other]) =>
      writersOf(one).flatMap((a) => writersOf(other).map((b) => [a, b] as const)),
    ),
  );
}

/** Each pair once, whichever comes first in it, and none of one alone. */
function distinct(pairs: Pairs): Pairs {
  const found = new Map(pairs.map((pair) => [pair.toSorted().join(" "), pair]));
  return [...found.values()].filter(([one, other]) => one !== other);
}

const pairsOfWriters = (writers: readonly string[]): Pairs =>
  distinct(writers.flatMap((one, at) => writers.slice(at + 1).map((other) => [one, other] as const)));

/** Files with every side of a conflict in full, by path. */
async function shownFiles(
  { jj, root }: Pick<RepositoryParts, "jj" | "root">,
  at: readonly string[],
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, { readonly text: string; readonly isConflict: boolean }>> {
  const mark = randomUUID();
  const { stdout } = await jj.run({
    args: [
      ...at,
      "--config",
      "ui.conflict-marker-style=snapshot",
      "file",
      "show",
      "-r",
      commit,
      "-T",
      `"\\n${mark} [" ++ json(self.path()) ++ "," ++ self.conflict() ++ "]\\n"`,
      "--",
      ...paths.map(exactFile),
    ],
    cwd: root,
  });
  return new Map(
    stdout
      .split(`\n${mark} `)
      .slice(1)
      .map((part) => {
        const end = part.indexOf("\n");
        const [path, isConflict] = JSON.parse(part.slice(0, end)) as [string, boolean];
        return [path, { text: part.slice(end + 1), isConflict }];
      }),
  );
}

function headNamed(label: string, heads: readonly Tried[]): Tried | undefined {
  // Ids come before the subject, which the user may have written.
  const ids = (label.split('"')[0] ?? "")
    .split(" ")
    .filter((word) => /^(?:[k-z]{8,}|[0-9a-f]{8,})$/.test(word));
  return heads.find((head) => ids.some((id) => head.change.startsWith(id) || head.commit.startsWith(id)));
}
