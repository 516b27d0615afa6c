import { randomUUID } from "node:crypto";
import { conflictParts } from "#shared/domain/conflict/conflict.ts";
import { changesNamed } from "../graph-memory/cached-graph.ts";
import type { TrialConflict } from "../ports/repository-interface.ts";
import type { Jj } from "../process/process.ts";
import { exactFile, pinned } from "../read/read-access.ts";
import { readJson } from "../read/row-template.ts";
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

/** Makes the trial of one repository. What was tried last is not tried again while no file of it has changed. */
export function createTrialMerge(
  parts: RepositoryParts,
): (changes: readonly string[]) => Promise<readonly TrialConflict[]> {
  const { memory, commits, current } = parts;
  let last: { readonly key: string; readonly found: readonly TrialConflict[] } | null = null;

  /** Equal for two trials of the same files on the same base; null if unknown. */
  async function keyOf(operation: string, changes: readonly string[]): Promise<string | null> {
    const graph = await memory.known(operation);
    const rows = graph && changesNamed(graph, changes);
    if (!graph || !rows || rows.length < changes.length) return null;
    const lines: string[] = [];
    const reached = new Set(rows.map(({ commitId }) => commitId));
    for (const commit of reached) {
      const row = graph.rows.get(commit);
      if (!row) {
        lines.push(commit);
        continue;
      }
      const object = await commits.read(commit);
      if (!object) return null;
      for (const parent of row.parents) reached.add(parent);
      const below = row.parents.map((parent) => graph.rows.get(parent)?.changeId ?? parent);
      lines.push([row.changeId, object.files, ...below].join(" "));
    }
    return [...changes, "", ...lines.toSorted()].join("\n");
  }

  return async (changes) => {
    if (changes.length < 2) return [];
    const operation = await current();
    const key = await keyOf(operation, changes);
    if (key !== null && last?.key === key) return last.found;
    const found = await trialMerge(parts, operation, changes);
    last = key === null ? null : { key, found };
    return found;
  };
}

/**
 * Merges changes without publishing, and returns which of them conflict. No working copy is touched. (design
 * section 4, CARD-4)
 *
 * One jj process without conflicts, three with conflicts: the files and conflicts of every change are read,
 * then all conflicted files of the merge at once, and jj names the commit of every side. So the cost does not
 * grow with the number of pairs.
 * @param operation the operation to try it on
 * @param changes change ids; missing ones and ancestors of others are left out of the merge
 * @returns conflicted files with the pairs of change ids that meet there, without existing conflicts
 */
async function trialMerge(
  { jj, root, commits }: RepositoryParts,
  operation: string,
  changes: readonly string[],
): Promise<readonly TrialConflict[]> {
  const all = changes.map((change) => `change_id(${change})`).join(" | ");
  const row = beginUnpublished(jj, root, operation, { actor: "radar" });
  const made = createdIn(await row.run(["new", "--no-edit", "-m", "", "--", `heads(${all})`]));
  if ((await commits.read(made.commitId))?.change.conflict === false) return [];
  const at = pinned(root, row.operation());

  const tried: Tried[] = [];
  await jj.lines(
    {
      args: [...at, "log", "--no-graph", "-r", `${made.commitId} | ${all}`, "-T", triedTemplate],
      cwd: root,
    },
    (line) => {
      const [commit, change, parents, files, conflicted] = readJson(line) as [
        string,
        string,
        readonly string[],
        readonly string[],
        readonly string[],
      ];
      tried.push({ commit, change, parents, files, conflicted });
      return undefined;
    },
  );
  const merge = tried.find(({ commit }) => commit === made.commitId);
  if (!merge || merge.conflicted.length === 0 || merge.parents.length < 2) return [];
  const byCommit = new Map(tried.map((one) => [one.commit, one]));
  const heads = merge.parents.flatMap((parent) => byCommit.get(parent) ?? []);

  const contents = await shownFiles(jj, root, at, merge.commit, merge.conflicted.slice(0, maxFilesRead));
  return merge.conflicted.flatMap((path): TrialConflict[] => {
    // Who holds a conflict in this file already is known to: that is not new, and its sides are not its own.
    const free = heads.filter((head) => !head.conflicted.includes(path));
    const named = contradictingSides(contents.get(path) ?? "");
    // jj shows no sides where a file meets a folder or a link; then all who wrote to it may meet.
    const pairs = named.length > 0 ? pairsNamed(named, free) : pairsOfWriters(path, free, byCommit);
    const writers = pairs
      .map(([one, other]) => [writerOf(path, one, tried), writerOf(path, other, tried)] as const)
      .filter(([one, other]) => one !== other);
    return writers.length > 0 ? [{ path, pairs: writers }] : [];
  });
}

/**
 * Who contradicts whom in a file in conflict. A merge of many heads shows every head in every place in conflict; a
 * head takes part only where its text differs from what it began with, and against those whose text differs from its.
 * @param content the file as jj shows it with `ui.conflict-marker-style=snapshot`
 * @returns pairs of labels, each once; a label is jj's, such as `qusvskxm 45496dff "task 1"`
 */
export function contradictingSides(content: string): readonly (readonly [string, string])[] {
  const pairs = new Map<string, readonly [string, string]>();
  for (const part of conflictParts(content)) {
    if (part.kind === "text") continue;
    const bases = new Set(part.terms.flatMap((term) => (term.kind === "base" ? [term.text] : [])));
    const changed = part.terms.filter((term) => term.kind === "side" && !bases.has(term.text));
    for (const [at, one] of changed.entries())
      for (const other of changed.slice(at + 1))
        if (one.text !== other.text && one.label !== other.label)
          pairs.set(JSON.stringify([one.label, other.label]), [one.label, other.label]);
  }
  return [...pairs.values()];
}

/** Conflicted files with every side in full, by path. */
async function shownFiles(
  jj: Jj,
  root: string,
  at: readonly string[],
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
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
      `"\\n${mark} " ++ json(self.path()) ++ "\\n"`,
      "--",
      ...paths.map(exactFile),
    ],
    cwd: root,
  });
  return new Map(
    stdout
      .split(`\n${mark} `)
      .slice(1)
      .map((part): [string, string] => {
        const end = part.indexOf("\n");
        return [JSON.parse(part.slice(0, end)) as string, part.slice(end + 1)];
      }),
  );
}

type Pairs = TrialConflict["pairs"];

function pairsNamed(named: readonly (readonly [string, string])[], heads: readonly Tried[]): Pairs {
  const changeOf = (label: string): string | undefined => {
    // Ids come before the subject, which the user may have written.
    const ids = (label.split('"')[0] ?? "")
      .split(" ")
      .filter((word) => /^(?:[k-z]{8,}|[0-9a-f]{8,})$/.test(word));
    return heads.find((head) => ids.some((id) => head.change.startsWith(id) || head.commit.startsWith(id)))
      ?.change;
  };
  return named.flatMap(([one, other]): Pairs => {
    const [a, b] = [changeOf(one), changeOf(other)];
    return a === undefined || b === undefined || a === b ? [] : [[a, b]];
  });
}

/**
 * Which change of a head's ancestry wrote the file: tried changes may be ancestors of each other, and the
 * topmost counts.
 */
function writerOf(path: string, head: string, tried: readonly Tried[]): string {
  const byCommit = new Map(tried.map((one) => [one.commit, one]));
  const wrote = (one: Tried): boolean =>
    one.files.some((file) => file === path || file.startsWith(`${path}/`));
  let line = tried.filter((one) => one.change === head);
  while (line.length > 0) {
    const found = line.find(wrote);
    if (found) return found.change;
    line = line.flatMap((one) => one.parents.flatMap((parent) => byCommit.get(parent) ?? []));
  }
  return head;
}

/** Every two heads that wrote to the file, or in the folder of its name, themselves or in a tried change below them. */
function pairsOfWriters(path: string, heads: readonly Tried[], byCommit: ReadonlyMap<string, Tried>): Pairs {
  const wrote = (one: Tried): boolean =>
    one.files.some((file) => file === path || file.startsWith(`${path}/`)) ||
    one.parents.some((parent) => {
      const below = byCommit.get(parent);
      return below !== undefined && wrote(below);
    });
  const writers = heads.filter(wrote);
  return writers.flatMap((one, at) =>
    writers.slice(at + 1).map((other): readonly [string, string] => [one.change, other.change]),
  );
}
