import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, lstat, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { removeTree } from "../../disk/remove-tree.ts";
import { readBoundedBytesOrNull, readBoundedFileOrNull } from "../../disk/repository-files.ts";
import { type GitCall, runGit } from "../process/git-process.ts";
import { gitFolderOf } from "../process/op-heads.ts";
import { createRecentAnswers } from "../read/recent-answers.ts";
import { isPartialClone } from "./git-branches.ts";

export interface GitViewOptions {
  /** The repository's own folder. */
  readonly root: string;
  /** The workspace that gets a `.git`. */
  readonly workspace: string;
  /** As `sharedHistoryFolder` says; made when it is missing. */
  readonly shared: string;
  /** Commit id of what is recorded of the workspace: the index lists its files. */
  readonly commit: string;
  /** Commit ids that everyone may see, with their ancestors. */
  readonly published: readonly string[];
  /** Whether HEAD is the commit itself, as where finished work is judged, or its first parent, as where it is made. */
  readonly isFinished: boolean;
}

/**
 * The folder of the history that all views of a repository share, in its state folder. Commands may read it.
 */
export const sharedHistoryFolder = (stateFolder: string): string => join(stateFolder, "git-view");

/** Kilobytes of history; of a longer one only the last commit is shown, as in a shallow clone. */
const maxHistoryBytes = 1024 * 1024;
const packPatienceMs = 10 * 60_000;

const settings = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = false
`;

/**
 * Creates a `.git` in a workspace for tools that use Git: the history of the work, its tags and branches, and
 * the recorded files. It has no settings, hooks or remotes of the user, and no objects of other work. A
 * repeated call updates it.
 *
 * @returns what it shows, or why it could not be created
 */
export async function writeGitView(options: GitViewOptions): Promise<{ readonly problem: string | null }> {
  try {
    await write(options);
    return { problem: null };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

async function write({
  root,
  workspace,
  shared,
  commit,
  published,
  isFinished,
}: GitViewOptions): Promise<void> {
  const own = join(workspace, ".git");
  const there = await lstat(own).catch(() => null);
  // Somebody else's, whatever it is.
  if (there !== null && (!there.isDirectory() || !existsSync(join(own, mark)))) return;
  const source = await gitFolderOf(root);

  const head = isFinished ? commit : await parentOf(source, commit);
  // In a partial clone only the work's parents are certainly there.
  const isShallow = isPartialClone(source) || (await isLong(source));
  const boundary = isShallow ? [] : await share(source, shared, published);

  const folder = there === null ? `${workspace}.git-${randomUUID()}` : own;
  try {
    await mkdir(join(folder, "objects", "info"), { recursive: true });
    await mkdir(join(folder, "objects", "pack"), { recursive: true });
    await mkdir(join(folder, "refs", "heads"), { recursive: true });
    await mkdir(join(folder, "info"), { recursive: true });
    await writeFile(join(folder, "config"), settings);
    await writeFile(join(folder, "info", "exclude"), `/.jj/\n${textOf(join(source, "info", "exclude"))}`);
    // git complains with every command of a place that is not there.
    await writeFile(
      join(folder, "objects", "info", "alternates"),
      isShallow ? "" : `${join(shared, "objects")}\n`,
    );
    const marked = textOf(join(folder, mark));
    const packed = marked.split("\n").filter(Boolean);
    const wanted = [commit, head].filter((id) => !isRoot(id) && !packed.includes(id));
    // If HEAD did not move, its history is there already.
    const isSameHead = textOf(join(folder, "HEAD")).trim() === head;
    const refs = isSameHead ? null : await recentRefs.ask(source, head, () => readRefs(source, head));
    await pack(source, join(folder, "objects", "pack"), {
      wanted: [...wanted, ...(isShallow ? [] : tagObjects(refs ?? []).filter((id) => !packed.includes(id)))],
      known: [...boundary, ...packed],
      shallow: isShallow ? wanted : [],
    });
    await writeFile(join(folder, mark), `${[...packed, ...wanted].join("\n")}\n`);
    if (isShallow) await writeFile(join(folder, "shallow"), `${[...packed, ...wanted].join("\n")}\n`);
    else if (existsSync(join(source, "shallow")))
      await copyFile(join(source, "shallow"), join(folder, "shallow"));
    if (refs !== null) await writeFile(join(folder, "packed-refs"), isShallow ? "" : packedRefs(refs));
    await writeFile(join(folder, "HEAD"), isRoot(head) ? "ref: refs/heads/main\n" : `${head}\n`);
    // By the repository itself, whose settings are known already: whatever the folder's own say counts for nothing.
    await git(source, ["read-tree", "--no-sparse-checkout", isRoot(commit) ? "--empty" : commit], {
      indexFile: join(folder, "index"),
    });
    if (there === null) await rename(folder, own);
  } finally {
    if (there === null) await removeTree(folder);
  }
}

/** In a folder that Hox made: the commits whose objects are in it already. */
const mark = "hox-commits";

const isRoot = (id: string): boolean => /^0*$/u.test(id);

/** jj has just written the commit as a file of its own, whose beginning says it; otherwise git is asked. */
async function parentOf(source: string, commit: string): Promise<string> {
  const file = readBoundedBytesOrNull(join(source, "objects", commit.slice(0, 2), commit.slice(2)), 64_000);
  const text = file === null ? "" : inflateSync(file).toString("latin1");
  const [isCommit, parent = ""] = /^commit \d+\0tree [0-9a-f]+\n(?:parent ([0-9a-f]+)\n)?/u.exec(text) ?? [];
  if (isCommit !== undefined) return parent;
  const { stdout } = await git(source, ["rev-list", "--parents", "--max-count=1", commit]);
  return stdout.trim().split(" ")[1] ?? "";
}

/** A history grows slowly, and a view is brought up to date at every save. */
const measuredForMs = 10 * 60_000;
const measured = new Map<string, { readonly at: number; readonly isLong: Promise<boolean> }>();

function isLong(source: string): Promise<boolean> {
  const known = measured.get(source);
  if (known && performance.now() - known.at < measuredForMs) return known.isLong;
  const now = measureHistory(source);
  measured.set(source, { at: performance.now(), isLong: now });
  now.catch(() => measured.delete(source));
  return now;
}

async function measureHistory(source: string): Promise<boolean> {
  const { stdout } = await git(source, ["count-objects", "-v"]);
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}: (\\d+)$`, "mu").exec(stdout)?.[1] ?? 0);
  return kilobytes("size") + kilobytes("size-pack") > maxHistoryBytes;
}

interface Ref {
  readonly name: string;
  readonly id: string;
  /** The target of an annotated tag. */
  readonly peeled: string;
}

/** Agents that begin together have the same HEAD. */
const recentRefs = createRecentAnswers<readonly Ref[]>(5_000);

/** Branches and tags that lead to a commit. */
async function readRefs(source: string, head: string): Promise<readonly Ref[]> {
  if (isRoot(head)) return [];
  const format = "--format=%(objectname) %(refname) %(*objectname)";
  const places = ["refs/heads", "refs/tags"];
  const { stdout } = await git(source, ["for-each-ref", `--merged=${head}`, format, ...places]);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [id = "", name = "", peeled = ""] = line.split(" ");
      return { id, name, peeled };
    });
}

const tagObjects = (refs: readonly Ref[]): readonly string[] =>
  refs.flatMap(({ id, peeled }) => (peeled === "" ? [] : [id]));

const packedRefs = (refs: readonly Ref[]): string =>
  [
    "# pack-refs with: peeled fully-peeled sorted ",
    ...refs.flatMap(({ id, name, peeled }) => [`${id} ${name}`, ...(peeled === "" ? [] : [`^${peeled}`])]),
  ]
    .map((line) => `${line}\n`)
    .join("");

/** One after the other: two that add the same would each add all of it. */
const sharing = new Map<string, Promise<unknown>>();

/** Brings published history into the shared folder. @returns the commits that it holds then */
async function share(
  source: string,
  shared: string,
  published: readonly string[],
): Promise<readonly string[]> {
  const before = sharing.get(shared) ?? Promise.resolve();
  const adding = before
    .catch(() => undefined)
    .then(async () => {
      const list = join(shared, mark);
      await mkdir(join(shared, "objects", "pack"), { recursive: true });
      const known = textOf(list).split("\n").filter(Boolean);
      const wanted = published.filter((id) => !isRoot(id) && !known.includes(id));
      if (wanted.length > 0) {
        await pack(source, join(shared, "objects", "pack"), { wanted, known, shallow: [] });
        await writeFile(list, `${[...known, ...wanted].join("\n")}\n`);
      }
      return published.filter((id) => !isRoot(id));
    });
  sharing.set(shared, adding);
  return adding;
}

/** Copies the objects that lead to some commits and not to others, as Git has packed them already. */
async function pack(
  source: string,
  to: string,
  {
    wanted,
    known,
    shallow,
  }: {
    readonly wanted: readonly string[];
    readonly known: readonly string[];
    readonly shallow: readonly string[];
  },
): Promise<void> {
  if (wanted.length === 0) return;
  const input = [...shallow.map((id) => `--shallow ${id}`), ...wanted, ...known.map((id) => `^${id}`)].join(
    "\n",
  );
  await git(
    source,
    ["pack-objects", "--revs", "--delta-base-offset", "--quiet", "--threads=1", join(to, "pack")],
    { input: `${input}\n` },
  );
}

async function git(
  source: string,
  args: readonly string[],
  more: Pick<GitCall, "input" | "indexFile"> = {},
): Promise<{ readonly stdout: string }> {
  const { exitCode, stdout, stderr } = await runGit({
    args: ["-c", "core.splitIndex=false", "--git-dir", source, ...args],
    cwd: source,
    timeoutMs: packPatienceMs,
    ...more,
  });
  if (exitCode !== 0) throw new Error(stderr.trim().split("\n")[0] || "git did not respond.");
  return { stdout };
}

const textOf = (file: string): string => readBoundedFileOrNull(file, 64_000_000) ?? "";
