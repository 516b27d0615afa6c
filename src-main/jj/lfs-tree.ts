/** Files of a commit as Git's store has them, for who looks for what Git LFS keeps: jj tells neither modes nor sizes nor ids of blobs. */
import { JjError } from "./errors.ts";
import { type GitCall, runGit } from "./git-process.ts";
import { gitFolderOf } from "./op-heads.ts";

export interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  /** Of Git's object. */
  readonly blob: string;
  /** 0 also where it was not asked for, and where a partial clone lacks the object. */
  readonly size: number;
}

/** A command line has room for no more. */
const pathsAtOnce = 200;
/** Gigabytes may come out of Git's store, and every file of a large repository may be asked about. */
export const storePatienceMs = 30 * 60_000;

/** The option that names the store of a workspace's commits, wherever jj keeps it. */
export const storeOption = async (root: string): Promise<string> => `--git-dir=${await gitFolderOf(root)}`;

const isFile = ({ mode }: TreeEntry): boolean => mode.startsWith("100");

/** Every file of a commit, without links and submodules. @throws JjError where Git cannot say */
export async function listTree(root: string, commit: string): Promise<readonly TreeEntry[]> {
  const listed = await readStore(root, { args: [await storeOption(root), "ls-tree", "-r", "-z", commit] });
  return entriesIn(listed).filter(isFile);
}

/** Those of some paths that are files of a commit, with their sizes. @throws JjError where Git cannot say */
export async function treeEntries(
  root: string,
  commit: string,
  paths: readonly string[],
): Promise<readonly TreeEntry[]> {
  const found: TreeEntry[] = [];
  for (let at = 0; at < paths.length; at += pathsAtOnce) {
    const few = paths.slice(at, at + pathsAtOnce);
    const listed = await readStore(root, {
      args: [
        ...["--literal-pathspecs", await storeOption(root), "ls-tree", "-z", "-l", commit],
        ...["--", ...few],
      ],
    });
    found.push(...entriesIn(listed).filter(isFile));
  }
  return found;
}

/** The text of a file. @throws JjError where Git cannot say */
export const blobText = async (root: string, blob: string): Promise<string> =>
  readStore(root, { args: [await storeOption(root), "cat-file", "blob", blob] });

function entriesIn(listed: string): readonly TreeEntry[] {
  return listed.split("\0").flatMap((line): readonly TreeEntry[] => {
    const [, mode, blob, size, path] = /^(\d+) blob ([0-9a-f]+)(?: +(\S+))?\t([\s\S]+)$/u.exec(line) ?? [];
    return mode === undefined || blob === undefined || path === undefined
      ? []
      : [{ path, mode, blob, size: Number(size) || 0 }];
  });
}

async function readStore(root: string, call: Pick<GitCall, "args">): Promise<string> {
  const { exitCode, stdout, stderr } = await runGit({ ...call, cwd: root, timeoutMs: storePatienceMs });
  if (exitCode === 0) return stdout;
  throw new JjError({
    kind: "failed",
    message: `Could not list the files stored in Git LFS: ${stderr.split("\n")[0] ?? ""}`,
    stderr,
  });
}
