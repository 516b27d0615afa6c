import { createHash, randomUUID } from "node:crypto";
import { existsSync, writeSync } from "node:fs";
import { mkdir, mkdtemp, open, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { lfsPointerText, maxLfsPointerBytes, readLfsPointer } from "#shared/domain/files/lfs-pointer.ts";
import { readBoundedFileOrNull } from "../../disk/repository-files.ts";
import { JjError } from "../process/errors.ts";
import { readGitCheckout } from "../process/git-checkout.ts";
import { makeEmptyRepository, runGit, runGitBytes } from "../process/git-process.ts";
import { lfsFolder } from "../process/git-settings.ts";
import { gitFolderOf } from "../process/op-heads.ts";
import { isPartialClone } from "./git-branches.ts";

/** A file of a commit that `.gitattributes` gives to Git LFS and that holds its content all the same. */
type LfsContent = Pick<TreeEntry, "path" | "blob" | "size">;

/** What Git LFS has to do with a repository. Nothing here starts git-lfs, or reads a file of an agent's folder. */
export type Lfs = ReturnType<typeof createLfs>;

/** Makes the part that knows Git LFS; without Git in the folder itself nothing is kept by it. */
export function createLfs(root: string) {
  const given = createLfsRules(root);
  const known = new Map<string, string>();

  /** What blobs hold never changes. */
  async function textOf(blob: string): Promise<string> {
    const text = known.get(blob) ?? (await textUnlessMissing(root, blob));
    if (text === null) return "";
    known.set(blob, text);
    return text;
  }

  const withTexts = (entries: readonly TreeEntry[]): Promise<readonly LfsRules[]> =>
    Promise.all(entries.map(async ({ path, blob }) => ({ path, text: await textOf(blob) })));

  /** An empty file is its own pointer. */
  const holdsContent = async ({ blob, size }: TreeEntry): Promise<boolean> =>
    size > maxLfsPointerBytes || (size > 0 && readLfsPointer(await textOf(blob)) === null);

  return {
    /** Files of a commit that are kept by Git LFS. */
    async files(commit: string): Promise<readonly string[]> {
      if (!mayHoldPointers(root, commit)) return [];
      const entries = await listTree(root, commit);
      const rules = entries.filter(({ path }) => isRules(path));
      return given(
        entries.map(({ path }) => path),
        await withTexts(rules),
      );
    },

    /** Those of some paths that hold content where a commit should hold a pointer. */
    async contentAmong(commit: string, paths: readonly string[]): Promise<readonly LfsContent[]> {
      if (paths.length === 0 || !mayHoldPointers(root, commit)) return [];
      const rules = await treeEntries(root, commit, placesOfRules(paths));
      const lfs = await given(paths, await withTexts(rules));
      const found: LfsContent[] = [];
      for (const entry of await treeEntries(root, commit, lfs))
        if (await holdsContent(entry)) found.push(entry);
      return found;
    },

    /** Keeps such content where git-lfs looks for it. @returns the text of its pointer */
    keep: async (content: LfsContent): Promise<string> =>
      lfsPointerText({ oid: await keepLfsObject(root, content), size: content.size }),
  };
}

/**
 * Files of a commit in Git's store, for finding LFS files: jj returns neither modes nor sizes nor ids of
 * blobs.
 */
interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  /** Of Git's object. */
  readonly blob: string;
  /** 0 also where it was not asked for, and where a partial clone lacks the object. */
  readonly size: number;
}

/** A command line has room for no more. */
const pathsAtOnce = 200;
/** Gigabytes may be read from Git's store, for every file of a large repository. */
const storePatienceMs = 30 * 60_000;

/** The option that names the store of a workspace's commits, wherever jj keeps it. */
const storeOption = async (root: string): Promise<string> => `--git-dir=${await gitFolderOf(root)}`;

const isFile = ({ mode }: TreeEntry): boolean => mode.startsWith("100");

/** Every file of a commit, without links and submodules. @throws JjError where Git cannot say */
async function listTree(root: string, commit: string): Promise<readonly TreeEntry[]> {
  const listed = await readStore(root, [await storeOption(root), "ls-tree", "-r", "-z", commit]);
  return entriesIn(listed).filter(isFile);
}

/** Those of some paths that are files of a commit, with their sizes. @throws JjError where Git cannot say */
async function treeEntries(
  root: string,
  commit: string,
  paths: readonly string[],
): Promise<readonly TreeEntry[]> {
  const found: TreeEntry[] = [];
  for (let at = 0; at < paths.length; at += pathsAtOnce) {
    const few = paths.slice(at, at + pathsAtOnce);
    const listed = await readStore(root, [
      ...["--literal-pathspecs", await storeOption(root), "ls-tree", "-z", "-l", commit],
      ...["--", ...few],
    ]);
    found.push(...entriesIn(listed).filter(isFile));
  }
  return found;
}

function entriesIn(listed: string): readonly TreeEntry[] {
  return listed.split("\0").flatMap((line): readonly TreeEntry[] => {
    const [, mode, blob, size, path] = /^(\d+) blob ([0-9a-f]+)(?: +(\S+))?\t([\s\S]+)$/u.exec(line) ?? [];
    return mode === undefined || blob === undefined || path === undefined
      ? []
      : [{ path, mode, blob, size: Number(size) || 0 }];
  });
}

async function readStore(root: string, args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runGit({ args, cwd: root, timeoutMs: storePatienceMs });
  if (exitCode === 0) return stdout;
  throw new JjError({
    kind: "failed",
    message: `Could not list the files stored in Git LFS: ${stderr.split("\n")[0] ?? ""}`,
    stderr,
  });
}

const attributes = ".gitattributes";

/** `.gitattributes` says which files Git LFS keeps, as read by Git itself. A rules file in a commit. */
interface LfsRules {
  readonly path: string;
  readonly text: string;
}

/** Whether a path is that of a file of rules. */
const isRules = (path: string): boolean => path === attributes || path.endsWith(`/${attributes}`);

/** Places of the rules for some paths: their folders and all folders above. */
function placesOfRules(paths: readonly string[]): readonly string[] {
  const places = new Set([attributes]);
  for (const path of paths)
    for (let at = dirname(path); at !== "."; at = dirname(at)) places.add(`${at}/${attributes}`);
  return [...places];
}

/**
 * Creates the reader of rules: returns those of some paths that the rules of their commit, of this repository
 * or of the user assign to Git LFS. Throws a JjError if Git cannot read them.
 */
function createLfsRules(
  root: string,
): (paths: readonly string[], rules: readonly LfsRules[]) => Promise<readonly string[]> {
  let ofUser: Promise<boolean> | null = null;
  return async (paths, rules) => {
    const local = readBoundedFileOrNull(join(await gitFolderOf(root), "info", "attributes"), 1_000_000) ?? "";
    ofUser ??= userHasRules(root);
    // Nearly every repository ends here.
    const texts = [local, ...rules.map(({ text }) => text)];
    if (!(await ofUser) && !texts.some(namesLfs)) return [];
    return withFolderOfRules(local, rules, (folder) => givenIn(folder, paths));
  };
}

const namesLfs = (text: string): boolean => text.includes("lfs");

/** Whether the user's global files mention LFS. */
async function userHasRules(root: string): Promise<boolean> {
  const { exitCode, stdout } = await runGit({
    args: ["config", "--null", "--path", "--get", "core.attributesFile"],
    cwd: root,
  });
  const home = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const own = exitCode === 0 ? (stdout.split("\0")[0] ?? "") : join(home, "git", "attributes");
  const paths = ["/etc/gitattributes", own];
  const texts = paths.map((path) => readBoundedFileOrNull(path, 1_000_000) ?? "");
  return texts.some(namesLfs);
}

/** A path that a tree made by hand may hold leads nowhere else. */
const isPlain = (path: string): boolean =>
  !path.split("/").some((name) => ["", ".", ".."].includes(name) || name.toLowerCase() === ".git");

/** Runs with a repository that holds nothing but rules: in the folder of an agent a name may lead anywhere. */
async function withFolderOfRules<T>(
  local: string,
  rules: readonly LfsRules[],
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "hox-attributes-"));
  try {
    await makeEmptyRepository(folder);
    await writeFile(join(folder, ".git", "info", "attributes"), local);
    for (const { path, text } of rules.filter(({ path }) => isPlain(path))) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Those of some paths to which the rules in a folder give the filter of Git LFS. */
async function givenIn(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await runGit({
    args: ["check-attr", "-z", "--stdin", "filter"],
    cwd: folder,
    input: paths.map((path) => `${path}\0`).join(""),
    timeoutMs: storePatienceMs,
  });
  if (exitCode !== 0)
    throw new JjError({ kind: "failed", message: "Git could not read .gitattributes.", stderr });
  const cells = stdout.split("\0");
  return paths.filter((path, at) => cells[at * 3] === path && cells[at * 3 + 2] === "lfs");
}

/**
 * Copies a file of Git's store to where git-lfs looks for its content.
 * @returns the name that git-lfs gives it
 * @throws JjError where Git does not give it back whole; nothing is kept then
 */
async function keepLfsObject(
  root: string,
  { blob, size }: Pick<LfsContent, "blob" | "size">,
): Promise<string> {
  const objects = await objectsFolder(root);
  const drafts = join(objects, "..", "tmp");
  await mkdir(drafts, { recursive: true });
  const draft = join(drafts, `hox-${randomUUID()}`);
  try {
    const oid = await writeBlob(root, { blob, size }, draft);
    const place = join(objects, oid.slice(0, 2), oid.slice(2, 4), oid);
    await mkdir(dirname(place), { recursive: true });
    if (!existsSync(place)) await rename(draft, place);
    return oid;
  } finally {
    await rm(draft, { force: true });
  }
}

async function objectsFolder(root: string): Promise<string> {
  const folder = readGitCheckout(root)?.commonFolder ?? (await gitFolderOf(root));
  const { exitCode, stdout } = await runGit({
    args: ["config", "--null", "--show-scope", "--get", "lfs.storage"],
    cwd: root,
  });
  const [scope = "", value = ""] = exitCode === 0 ? stdout.split("\0") : [];
  return join(lfsFolder(folder, { scope, value }), "objects");
}

/** Writes a blob to a new file, to the disk, without ever holding it whole. @returns the SHA-256 of what was written */
async function writeBlob(
  root: string,
  { blob, size }: Pick<LfsContent, "blob" | "size">,
  path: string,
): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(path, "wx", 0o600);
  let written = 0;
  try {
    const { exitCode, stderr } = await runGitBytes(
      { args: [await storeOption(root), "cat-file", "blob", blob], cwd: root, timeoutMs: storePatienceMs },
      (bytes) => {
        hash.update(bytes);
        for (let at = 0; at < bytes.length; ) at += writeSync(file.fd, bytes, at);
        written += bytes.length;
      },
    );
    if (exitCode !== 0 || written !== size)
      throw new JjError({ kind: "failed", message: `Git did not return ${blob}.`, stderr });
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}

/** What jj has below a first commit is nothing that Git knows. */
const mayHoldPointers = (root: string, commit: string): boolean =>
  !/^0+$/u.test(commit) && readGitCheckout(root) !== null;

/** Missing in a partial clone means no content; no run starts on such a commit. */
async function textUnlessMissing(root: string, blob: string): Promise<string | null> {
  try {
    return await readStore(root, [await storeOption(root), "cat-file", "blob", blob]);
  } catch (error) {
    if (isPartialClone(await gitFolderOf(root))) return null;
    throw error;
  }
}
