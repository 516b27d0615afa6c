/**
 * The files of a folder as a Git tree, and back. Host and machines use the same: each has a bare repository for the objects
 * and an index of its own for each folder. Attributes change no content: both sides mean the bytes that are there.
 */
import { createHash, randomUUID } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { copyFile, lstat, mkdir, mkdtemp, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import type { SentFile } from "#shared/domain/places/sent-files.ts";
import { writeFileAtomically } from "../config/atomic-file.ts";
import { readBoundedFileOrNull } from "../disk/repository-files.ts";
import { runGit, runGitBytes } from "../jj/process/git-process.ts";
import { maxPartBytes, type SentTree } from "./machine-contract.ts";

/** Where the objects of a repository's folders are. */
export interface ObjectStore {
  /** A bare repository. */
  readonly gitFolder: string;
}

/** A folder whose files are compared with trees. No one else may use its index. */
export interface TreeFolder extends ObjectStore {
  readonly folder: string;
  readonly index: string;
}

const maxConfigurationBytes = 2_000_000;
const packPatienceMs = 10 * 60_000;

/** No content is changed on its way to or from a folder, whatever the files say of line ends and filters. */
const attributes = "* -text -eol -ident -filter -working-tree-encoding\n";

/**
 * Makes a bare repository for objects, or leaves the one that is there.
 * @param alternate folder of objects that need not be copied
 * @param exclude what is ignored in addition to what the files say
 */
export async function makeObjectStore(
  gitFolder: string,
  { alternate, exclude }: { readonly alternate?: string; readonly exclude: string },
): Promise<ObjectStore> {
  for (const name of ["objects/info", "objects/pack", "refs", "info"])
    await mkdir(join(gitFolder, name), { recursive: true });
  const wanted = [
    ["HEAD", "ref: refs/heads/main\n"],
    ["config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"],
    ["info/attributes", attributes],
    ["info/exclude", `.jj\n${exclude}`],
    ...(alternate === undefined ? [] : [["objects/info/alternates", `${alternate}\n`] as const]),
  ] as const;
  for (const [name, text] of wanted) {
    const path = join(gitFolder, name);
    // Git reads these for other folders of the same store meanwhile.
    if (readBoundedFileOrNull(path, maxConfigurationBytes) !== text) await writeFileAtomically(path, text);
  }
  return { gitFolder };
}

async function git(
  { gitFolder }: ObjectStore,
  args: readonly string[],
  more: { readonly input?: string; readonly index?: string; readonly folder?: string } = {},
): Promise<string> {
  const { exitCode, stdout, stderr } = await runGit({
    args: [
      ...[
        "-c",
        "core.excludesFile=/dev/null",
        "-c",
        "core.splitIndex=false",
        "-c",
        "core.untrackedCache=false",
      ],
      ...[
        "--git-dir",
        gitFolder,
        ...(more.folder === undefined ? [] : ["--work-tree", more.folder]),
        ...args,
      ],
    ],
    cwd: more.folder ?? gitFolder,
    timeoutMs: packPatienceMs,
    ...(more.input === undefined ? {} : { input: more.input }),
    ...(more.index === undefined ? {} : { indexFile: more.index }),
  });
  if (exitCode !== 0) throw new Error(stderr.trim().split("\n")[0] || `git ${args[0]} failed`);
  return stdout;
}

/** The tree of no files. */
export const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** From now on the folder is compared with this commit or tree. */
export async function startFrom(place: TreeFolder, commit: string): Promise<void> {
  indexed.delete(place);
  await git(place, commit === emptyTree ? ["read-tree", "--empty"] : ["read-tree", commit], place);
}

/** Brings the index up to the files, without nested repositories. @returns whether it changed */
async function followFiles(place: TreeFolder): Promise<boolean> {
  const { folder, index } = place;
  const list = ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"];
  const changed = [...new Set((await git(place, list, { folder, index })).split("\0"))].filter(
    (path) => path !== "" && !path.endsWith("/"),
  );
  // Git takes no folder in the place of a file.
  const isFolder = await Promise.all(
    changed.map((path) =>
      lstat(join(folder, path)).then(
        (stats) => stats.isDirectory(),
        () => false,
      ),
    ),
  );
  const update = async (how: readonly string[], paths: readonly string[]): Promise<void> => {
    if (paths.length === 0) return;
    const input = paths.map((path) => `${path}\0`).join("");
    await git(place, ["update-index", "-z", ...how, "--stdin"], { folder, index, input });
  };
  await update(
    ["--force-remove"],
    changed.filter((_, at) => isFolder[at]),
  );
  await update(
    ["--add", "--remove", "--replace"],
    changed.filter((_, at) => !isFolder[at]),
  );
  return changed.length > 0;
}

/** What the index of a folder is as a tree, as far as it is known without asking Git. */
const indexed = new WeakMap<TreeFolder, string>();

const treeOfIndex = async (place: TreeFolder, hasChanged: boolean): Promise<string> => {
  const known = hasChanged ? undefined : indexed.get(place);
  const tree = known ?? (await git(place, ["write-tree"], place)).trim();
  indexed.set(place, tree);
  return tree;
};

/** The tree of the folder's files, with its objects. */
export const treeOfFiles = async (place: TreeFolder): Promise<string> =>
  treeOfIndex(place, await followFiles(place));

/** So much of contents goes with the names of the files. */
const maxContentBytes = 256_000;

/** The tree of the folder's files, what differs from another tree, and contents of small files. No command may run there. */
export async function changesSince(place: TreeFolder, since: string): Promise<SentTree> {
  const hasChanged = await followFiles(place);
  const [tree, changed] = await Promise.all([
    treeOfIndex(place, hasChanged),
    filesBetween(place, ["diff-index", "--cached", since]),
  ]);
  const files = changed.map(({ path, after }) =>
    after === null ? { path, mode: null, oid: null } : { path, ...after },
  );
  const oids = [...new Set(files.flatMap(({ oid }) => oid ?? []))];
  const areSmall = (await bytesOf(place, files)) <= maxContentBytes;
  const contents = areSmall ? await smallContents(place, files, oids) : [];
  const sizes = areSmall
    ? new Map(contents.map(({ oid, bytes }) => [oid, bytes.length]))
    : await sizesOf(place, oids);
  return {
    tree,
    files: files.map((file) => ({ ...file, bytes: sizes.get(file.oid ?? "") ?? 0 })),
    contents: contents.map(({ oid, bytes }) => ({ oid, data: bytes.toString("base64") })),
  };
}

/** From the files themselves, as far as they are what the tree has: that takes no process. */
async function smallContents(
  place: TreeFolder,
  files: readonly { readonly path: string; readonly mode: string | null }[],
  oids: readonly string[],
): Promise<Awaited<ReturnType<typeof contentsOf>>> {
  const reading = files.flatMap(({ path, mode }) =>
    isPlainFile({ mode }) ? bytesThere(join(place.folder, path)).catch(() => []) : [],
  );
  const read = (await Promise.all(reading)).flat().map((bytes) => ({ oid: blobId(bytes), bytes }));
  const found = [...new Map(read.map((one) => [one.oid, one])).values()].filter(({ oid }) =>
    oids.includes(oid),
  );
  const others = oids.filter((oid) => found.every((one) => one.oid !== oid));
  return others.length === 0 ? found : [...found, ...(await contentsOf(place, others))];
}

async function bytesThere(path: string): Promise<Buffer> {
  // No link is followed, and a pipe does not block.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** About as many as the files are; what the objects are is asked of Git. */
async function bytesOf({ folder }: TreeFolder, files: readonly { readonly path: string }[]): Promise<number> {
  if (files.length > maxSmallFiles) return Number.POSITIVE_INFINITY;
  const sizes = await Promise.all(
    files.map(({ path }) =>
      lstat(join(folder, path)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const maxSmallFiles = 100;

interface Entry {
  readonly mode: string;
  readonly oid: string;
}

interface ChangedFile {
  readonly path: string;
  /** Null: it was not there. */
  readonly before: Entry | null;
  readonly after: Entry | null;
}

async function filesBetween(
  store: ObjectStore & { readonly index?: string },
  [command, ...compared]: readonly [string, ...string[]],
): Promise<readonly ChangedFile[]> {
  const more = store.index === undefined ? {} : { index: store.index };
  const fields = (await git(store, [command, "-r", "-z", "--no-renames", ...compared], more)).split("\0");
  const entry = (mode: string, oid: string): Entry | null => (mode === "000000" ? null : { mode, oid });
  return Array.from({ length: Math.floor(fields.length / 2) }, (_, number) => {
    const [from = "", to = "", fromOid = "", toOid = ""] = (fields[number * 2] ?? "").slice(1).split(" ");
    return { path: fields[number * 2 + 1] ?? "", before: entry(from, fromOid), after: entry(to, toOid) };
  });
}

const isPlainFile = (entry: { readonly mode: string | null } | null): boolean =>
  entry?.mode?.startsWith("100") === true;

/**
 * Files that were sent, for a folder whose own files changed from the same tree: with the changes of both.
 * @param since what both began with
 * @param here what the folder has now
 * @returns `leftOut`: paths at which the two contradict each other, and the folder's own version stays
 */
export async function mergeSent(
  store: ObjectStore,
  { since, here }: { readonly since: string; readonly here: string },
  files: readonly SentFile[],
  contents: ReadonlyMap<string, Buffer>,
) {
  const own = new Map((await filesBetween(store, ["diff-tree", since, here])).map((one) => [one.path, one]));
  const merged = { files: [] as SentFile[], contents: new Map(contents), leftOut: [] as string[] };
  for (const file of files) {
    const { before, after } = own.get(file.path) ?? { before: null, after: file as Entry | null };
    if ((after?.oid ?? null) === file.oid) merged.files.push(file);
    else {
      const isText = isPlainFile(file) && isPlainFile(before) && isPlainFile(after);
      const theirs = contents.get(file.oid ?? "");
      const text =
        isText && before && after && theirs ? await mergeTexts(store, before.oid, after.oid, theirs) : null;
      if (text === null) merged.leftOut.push(file.path);
      else {
        const oid = blobId(text);
        merged.contents.set(oid, text);
        merged.files.push({ ...file, oid, bytes: text.length });
      }
    }
  }
  return merged;
}

/** @returns null: both changed the same lines, or it is no text */
async function mergeTexts(
  store: ObjectStore,
  base: string,
  ours: string,
  theirs: Buffer,
): Promise<Buffer | null> {
  const known = new Map((await contentsOf(store, [base, ours])).map(({ oid, bytes }) => [oid, bytes]));
  const folder = await mkdtemp(join(store.gitFolder, "merging-"));
  try {
    const sides = [known.get(ours), known.get(base), theirs].map((bytes) => bytes ?? Buffer.alloc(0));
    const paths = ["ours", "base", "theirs"].map((name) => join(folder, name));
    for (const [at, path] of paths.entries()) await writeFile(path, sides[at] ?? "");
    const parts: Uint8Array[] = [];
    const { exitCode } = await runGitBytes(
      { args: ["merge-file", "--stdout", "--quiet", ...paths], cwd: folder },
      (bytes) => void parts.push(bytes),
    );
    return exitCode === 0 ? Buffer.concat(parts) : null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of the objects, as the files may have changed since. */
async function sizesOf(store: ObjectStore, oids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (oids.length === 0) return new Map();
  const args = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];
  const lines = (await git(store, args, { input: `${oids.join("\n")}\n` })).trimEnd().split("\n");
  return new Map(
    lines.flatMap((line): [string, number][] => {
      const [oid = "", size = ""] = line.split(" ");
      return size === "missing" ? [] : [[oid, Number(size)]];
    }),
  );
}

/** Contents by their ids. */
export async function contentsOf(
  { gitFolder }: ObjectStore,
  oids: readonly string[],
): Promise<readonly { readonly oid: string; readonly bytes: Buffer }[]> {
  const parts: Uint8Array[] = [];
  const { exitCode, stderr } = await runGitBytes(
    {
      args: ["--git-dir", gitFolder, "cat-file", "--batch"],
      cwd: gitFolder,
      input: `${oids.join("\n")}\n`,
    },
    (bytes) => void parts.push(bytes),
  );
  if (exitCode !== 0) throw new Error(stderr.split("\n")[0] || "git cat-file failed");
  const all = Buffer.concat(parts);
  const found: { readonly oid: string; readonly bytes: Buffer }[] = [];
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf(10, at);
    const [oid = "", kind = "", size = ""] = all.toString("latin1", at, end).split(" ");
    if (kind !== "blob") throw new Error(`${oid} is no file.`);
    const from = end + 1;
    found.push({ oid, bytes: all.subarray(from, from + Number(size)) });
    at = from + Number(size) + 1;
  }
  return found;
}

/** Replaces the folder's files by those of a tree; what is ignored stays. No command may run there. */
export async function checkOutTree(place: TreeFolder, tree: string): Promise<void> {
  indexed.delete(place);
  await git(place, ["read-tree", "--reset", "-u", tree], place);
  indexed.set(place, tree);
}

/** The id that Git gives to a content. */
export const blobId = (bytes: Uint8Array): string =>
  createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");

/**
 * Which tree it would be with these files; their contents need not be there.
 * @returns `keep` makes that the state of the index; without it nothing changes
 */
export async function treeWith(
  place: TreeFolder,
  files: readonly SentFile[],
): Promise<{
  readonly tree: string;
  readonly keep: () => Promise<void>;
  readonly drop: () => Promise<void>;
}> {
  const draft = `${place.index}.draft`;
  await copyFile(place.index, draft);
  // Whatever leaves comes first: a folder may take the name of a file.
  const lines = files
    .toSorted((one, other) => Number(one.mode !== null) - Number(other.mode !== null))
    .map(({ path, mode, oid }) =>
      mode === null ? `0 ${"0".repeat(40)}\t${path}` : `${mode} ${oid}\t${path}`,
    );
  await git(place, ["update-index", "-z", "--index-info"], {
    index: draft,
    input: lines.map((line) => `${line}\0`).join(""),
  });
  const tree = (await git(place, ["write-tree", "--missing-ok"], { index: draft })).trim();
  return {
    tree,
    async keep() {
      await rename(draft, place.index);
      indexed.set(place, tree);
    },
    drop: () => rm(draft, { force: true }),
  };
}

const deflated = promisify(deflate);

/** Adds a content. */
export async function addBlob({ gitFolder }: ObjectStore, oid: string, bytes: Uint8Array): Promise<void> {
  const path = join(gitFolder, "objects", oid.slice(0, 2), oid.slice(2));
  if (existsSync(path)) return;
  await mkdir(dirname(path), { recursive: true });
  // Several folders of one store may take the same content at once.
  const draft = `${path}.draft-${randomUUID()}`;
  await writeFile(draft, await deflated(Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes])), {
    mode: 0o444,
  });
  await rename(draft, path);
}

/** A file of a pack, in parts. */
export interface PackPart {
  readonly file: string;
  readonly at: number;
  readonly data: string;
  readonly isLast: boolean;
}

/** Packs what leads to some commits or trees and not to others. Yields its file and then its index. */
export async function* packedParts(
  store: ObjectStore,
  wanted: readonly string[],
  known: readonly string[],
): AsyncGenerator<PackPart> {
  const folder = await mkdtemp(join(store.gitFolder, "sending-"));
  try {
    await git(
      store,
      ["pack-objects", "--revs", "--delta-base-offset", "--quiet", "--threads=1", join(folder, "pack")],
      { input: `${[...wanted, ...known.map((id) => `^${id}`)].join("\n")}\n` },
    );
    const names = (await readdir(folder)).toSorted((one, other) => rank(one) - rank(other));
    const files = names.filter((name) => /\.(?:pack|idx)$/u.test(name));
    for (const [number, file] of files.entries()) {
      const opened = await open(join(folder, file));
      try {
        const { size } = await opened.stat();
        for (let at = 0; at < size; at += maxPartBytes) {
          const part = Buffer.alloc(Math.min(maxPartBytes, size - at));
          await opened.read(part, 0, part.length, at);
          const isLast = number === files.length - 1 && at + part.length >= size;
          yield { file, at, data: part.toString("base64"), isLast };
        }
      } finally {
        await opened.close();
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The index comes last: with it a pack counts. */
const rank = (name: string): number => (name.endsWith(".idx") ? 1 : 0);

/** Those of some ids that are here. */
export async function existing(store: ObjectStore, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const listing = await git(store, ["cat-file", "--batch-check"], { input: `${ids.join("\n")}\n` });
  return listing.split("\n").flatMap((line) => (line.endsWith(" missing") ? [] : [line.slice(0, 40)]));
}
