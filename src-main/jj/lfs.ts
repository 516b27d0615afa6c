import { createHash, randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { access, mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { lfsPointerText, longestLfsPointer, readLfsPointer } from "#shared/domain/files/lfs-pointer.ts";
import { JjError } from "./errors.ts";
import { readGitCheckout } from "./git-checkout.ts";
import { type GitCall, runGit, runGitBytes } from "./git-process.ts";
import { gitFolderOf } from "./op-heads.ts";
import { isPartialClone } from "./partial-clone.ts";

/** A file of a commit that `.gitattributes` gives to Git LFS and that holds its content all the same. */
export interface LfsContent {
  readonly path: string;
  /** Of Git's object. */
  readonly blob: string;
  readonly size: number;
}

/** What Git LFS has to do with a repository. Nothing here starts git-lfs, or reads a file of an agent's folder. */
export interface Lfs {
  /** Files of a commit that are kept by Git LFS. */
  files(commit: string): Promise<readonly string[]>;
  /** Those of some paths that hold content where a commit should hold a pointer. */
  contentAmong(commit: string, paths: readonly string[]): Promise<readonly LfsContent[]>;
  /** Keeps such content where git-lfs looks for it. @returns the text of its pointer */
  keep(content: LfsContent): Promise<string>;
}

/** What jj has below a first commit is nothing that Git knows. */
const isRoot = (commit: string): boolean => /^0+$/u.test(commit);

interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
  /** 0 also where it was not asked for, and where a partial clone lacks the object. */
  readonly size: number;
}

const attributes = ".gitattributes";
/** A path that a tree made by hand may hold leads nowhere else. */
const isPlain = (path: string): boolean =>
  !path.split("/").some((name) => ["", ".", ".."].includes(name) || name.toLowerCase() === ".git");
/** A command line has room for no more. */
const pathsAtOnce = 200;
/** Gigabytes may come out of Git's store, and every file of a large repository may be asked about. */
const patienceMs = 30 * 60_000;

/** Makes the part that knows Git LFS; without Git in the folder itself nothing is kept by it. */
export function createLfs(root: string): Lfs {
  const hasGit = (): boolean => readGitCheckout(root) !== null;

  async function git(call: Pick<GitCall, "args" | "input">): Promise<string> {
    const { exitCode, stdout, stderr } = await runGit({ ...call, cwd: root, timeoutMs: patienceMs });
    if (exitCode !== 0)
      throw new JjError({
        kind: "failed",
        message: `Git could not say which files are kept by Git LFS: ${stderr.split("\n")[0] ?? ""}`,
        stderr,
      });
    return stdout;
  }
  const store = async (): Promise<string> => `--git-dir=${await gitFolderOf(root)}`;

  function entriesOf(listed: string): readonly Entry[] {
    return listed.split("\0").flatMap((line): readonly Entry[] => {
      const [, mode, id, size, path] = /^(\d+) blob ([0-9a-f]+)(?: +(\S+))?\t([\s\S]+)$/u.exec(line) ?? [];
      return mode === undefined || id === undefined || path === undefined
        ? []
        : [{ path, mode, id, size: Number(size) || 0 }];
    });
  }

  async function entries(commit: string, paths: readonly string[]): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    for (let at = 0; at < paths.length; at += pathsAtOnce) {
      const few = paths.slice(at, at + pathsAtOnce);
      const listed = await git({
        args: ["--literal-pathspecs", await store(), "ls-tree", "-z", "-l", commit, "--", ...few],
      });
      found.push(...entriesOf(listed));
    }
    return found;
  }

  let ofPerson: Promise<boolean> | null = null;
  /** Whether files that all repositories of a person share name LFS; asked once. */
  const personHasRules = (): Promise<boolean> => {
    ofPerson ??= sharedAttributes().then(async (paths) => {
      const texts = await Promise.all(paths.map((path) => readFile(path, "utf8").catch(() => "")));
      return texts.some((text) => text.includes("lfs"));
    });
    return ofPerson;
  };
  async function sharedAttributes(): Promise<readonly string[]> {
    const { exitCode, stdout } = await runGit({
      args: ["config", "--null", "--path", "--get", "core.attributesFile"],
      cwd: root,
    });
    const home = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
    const own = exitCode === 0 ? (stdout.split("\0")[0] ?? "") : join(home, "git", "attributes");
    return ["/etc/gitattributes", own];
  }

  const known = new Map<string, string>();
  async function textOf({ id }: Pick<Entry, "id">): Promise<string> {
    const before = known.get(id);
    if (before !== undefined) return before;
    const folder = await gitFolderOf(root);
    const read = () => git({ args: [`--git-dir=${folder}`, "cat-file", "blob", id] });
    const text = await read().catch((error: unknown) => {
      // What a partial clone lacks gives no file to anybody; no run begins on such a commit.
      if (isPartialClone(folder)) return null;
      throw error;
    });
    if (text === null) return "";
    known.set(id, text);
    return text;
  }

  /**
   * Those of some paths that the rules give to Git LFS. Git itself reads the rules, in a folder that holds nothing but
   * them: in that of an agent a name may lead anywhere.
   */
  async function given(paths: readonly string[], rules: readonly Entry[]): Promise<readonly string[]> {
    const local = await readFile(join(await gitFolderOf(root), "info", "attributes"), "utf8").catch(() => "");
    const texts = await Promise.all(rules.map(async (rule) => [rule.path, await textOf(rule)] as const));
    // Nearly every repository ends here.
    const rulesOfAll = [local, ...texts.map(([, text]) => text)];
    if (!(await personHasRules()) && !rulesOfAll.some((text) => text.includes("lfs"))) return [];
    const folder = await mkdtemp(join(tmpdir(), "hox-attributes-"));
    try {
      for (const name of ["objects", "refs", "info"])
        await mkdir(join(folder, ".git", name), { recursive: true });
      await writeFile(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
      await writeFile(
        join(folder, ".git", "config"),
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
      );
      await writeFile(join(folder, ".git", "info", "attributes"), local);
      for (const [path, text] of texts) {
        if (!isPlain(path)) continue;
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      const { exitCode, stdout, stderr } = await runGit({
        args: ["check-attr", "-z", "--stdin", "filter"],
        cwd: folder,
        input: paths.map((path) => `${path}\0`).join(""),
        timeoutMs: patienceMs,
      });
      if (exitCode !== 0)
        throw new JjError({ kind: "failed", message: "Git could not read .gitattributes.", stderr });
      const cells = stdout.split("\0");
      return paths.filter((path, at) => cells[at * 3] === path && cells[at * 3 + 2] === "lfs");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Where git-lfs keeps content; another place only where a person said so, and not the repository alone. */
  async function objectsFolder(): Promise<string> {
    const folder = readGitCheckout(root)?.commonFolder ?? (await gitFolderOf(root));
    const { exitCode, stdout } = await runGit({
      args: ["config", "--null", "--show-scope", "--get", "lfs.storage"],
      cwd: root,
    });
    const [scope = "", value = ""] = exitCode === 0 ? stdout.split("\0") : [];
    const named = value === "" ? join(folder, "lfs") : resolve(folder, value);
    const isInside = !relative(folder, named).split(sep).includes("..");
    const isOfPerson = !["local", "worktree"].includes(scope);
    return join(isInside || isOfPerson ? named : join(folder, "lfs"), "objects");
  }

  return {
    async files(commit) {
      if (isRoot(commit) || !hasGit()) return [];
      const all = entriesOf(await git({ args: [await store(), "ls-tree", "-r", "-z", commit] }));
      const rules = all.filter(({ path }) => path === attributes || path.endsWith(`/${attributes}`));
      const files = all.filter(({ mode }) => mode.startsWith("100"));
      return given(
        files.map(({ path }) => path),
        rules,
      );
    },

    async contentAmong(commit, paths) {
      if (paths.length === 0 || isRoot(commit) || !hasGit()) return [];
      const names = new Set([attributes]);
      for (const path of paths)
        for (let at = dirname(path); at !== "."; at = dirname(at)) names.add(`${at}/${attributes}`);
      const rules = await entries(commit, [...names]);
      const lfs = await given(paths, rules);
      if (lfs.length === 0) return [];
      const found: LfsContent[] = [];
      for (const { path, mode, id, size } of await entries(commit, lfs)) {
        // An empty file is its own pointer.
        if (!mode.startsWith("100") || size === 0) continue;
        if (size <= longestLfsPointer && readLfsPointer(await textOf({ id })) !== null) continue;
        found.push({ path, blob: id, size });
      }
      return found;
    },

    async keep({ blob, size }) {
      const objects = await objectsFolder();
      await mkdir(join(objects, "..", "tmp"), { recursive: true });
      const draft = join(objects, "..", "tmp", `hox-${randomUUID()}`);
      const hash = createHash("sha256");
      try {
        const file = await open(draft, "wx", 0o600);
        let written = 0;
        try {
          const { exitCode, stderr } = await runGitBytes(
            { args: [await store(), "cat-file", "blob", blob], cwd: root, timeoutMs: patienceMs },
            (bytes) => {
              hash.update(bytes);
              for (let at = 0; at < bytes.length; ) at += writeSync(file.fd, bytes, at);
              written += bytes.length;
            },
          );
          if (exitCode !== 0 || written !== size)
            throw new JjError({ kind: "failed", message: `Git did not give back ${blob}.`, stderr });
          await file.sync();
        } finally {
          await file.close();
        }
        const oid = hash.digest("hex");
        const place = join(objects, oid.slice(0, 2), oid.slice(2, 4), oid);
        await mkdir(dirname(place), { recursive: true });
        const isThere = await access(place).then(
          () => true,
          () => false,
        );
        if (!isThere) await rename(draft, place);
        return lfsPointerText({ oid, size });
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}
