/** Takes files from a machine into the host's own folder. Nothing that the machine says of them is believed. */
import { constants } from "node:fs";
import { mkdir } from "node:fs/promises";
import {
  agentFilesProblem,
  leadsOut,
  linkMode,
  type SentFile,
  sentFilesProblem,
} from "#shared/domain/places/sent-files.ts";
import { Folder } from "../../disk/folder.ts";
import { removeEntry } from "../../disk/remove-tree.ts";
import { whileQuiet } from "../../processes/quiet-folder.ts";
import { maxPartBytes, type SentTree } from "../machine-contract.ts";
import { addBlob, blobId, type TreeFolder, treeWith } from "../trees.ts";

/** What arrived does not count, and nothing of it was written. */
export class FilesRefused extends Error {
  override readonly name = "FilesRefused";
  /** Whether only a machine that lies or is broken sends it; else an agent may have made it. */
  readonly isFaultOfMachine: boolean;
  constructor(reason: string, isFaultOfMachine: boolean) {
    super(reason);
    this.isFaultOfMachine = isFaultOfMachine;
  }
}

type Contents = (
  oids: readonly string[],
) => Promise<readonly { readonly oid: string; readonly data: string }[]>;

interface Receiving {
  /** Asks the machine for contents. */
  readonly contents: Contents;
  /** Why nothing that the machine sends counts; null: it counts. */
  readonly refusal: () => string | null | Promise<string | null>;
  /** Whether there is time to write files: once begun, all are written. */
  readonly mayWrite: () => boolean;
  /** What is written in place of what was sent; left out: what was sent. */
  readonly merge?: (
    files: readonly SentFile[],
    contents: ReadonlyMap<string, Buffer>,
  ) => Promise<{ readonly files: readonly SentFile[]; readonly contents: ReadonlyMap<string, Buffer> }>;
  /** Counts the tree, or says why it does not count. */
  readonly accept: (tree: string) => string | null | Promise<string | null>;
}

/**
 * Checks what a machine sent, and writes it. The tree counts last: a host that ends before takes the same files over at its
 * next start.
 *
 * @returns whether there was time to write them
 * @throws FilesRefused
 */
export async function receiveFiles(
  place: TreeFolder,
  { tree, files }: Pick<SentTree, "tree" | "files">,
  { contents, refusal, mayWrite, merge, accept }: Receiving,
): Promise<boolean> {
  const problem = sentFilesProblem(files);
  if (problem !== null) throw new FilesRefused(problem, true);
  refuse(agentFilesProblem(files));
  const known = await readContents(files, contents);
  for (const { path, mode, oid } of files) {
    if (mode !== linkMode) continue;
    const target = known.get(oid ?? "")?.toString("utf8") ?? "";
    if (leadsOut(path, target)) throw new FilesRefused(`the link ${path} leads out of the workspace`, false);
  }
  const made = await treeWith(place, files);
  try {
    if (made.tree !== tree)
      throw new FilesRefused(`its files are the tree ${made.tree}, and it says ${tree}`, true);
    refuse(await refusal());
    if (!mayWrite()) return false;
    for (const [oid, bytes] of known) await addBlob(place, oid, bytes);
    const written = (await merge?.(files, known)) ?? { files, contents: known };
    await whileQuiet(place.folder, () => writeFiles(place.folder, written.files, written.contents));
    await made.keep();
    refuse(await accept(tree));
    return true;
  } finally {
    await made.drop();
  }
}

function refuse(refusal: string | null): void {
  if (refusal !== null) throw new FilesRefused(refusal, false);
}

/** No more is asked for at once than was announced, and only what was announced is taken. */
async function readContents(
  files: readonly SentFile[],
  contents: Contents,
): Promise<ReadonlyMap<string, Buffer>> {
  const sizes = new Map(files.flatMap(({ oid, bytes }) => (oid === null ? [] : [[oid, bytes] as const])));
  const known = new Map<string, Buffer>();
  let batch: string[] = [];
  let bytes = 0;
  const read = async (): Promise<void> => {
    if (batch.length === 0) return;
    const answers = await contents(batch);
    for (const { oid, data } of answers) known.set(oid, Buffer.from(data, "base64"));
    const wrong = batch.find((oid) => {
      const content = known.get(oid);
      return content === undefined || content.length !== sizes.get(oid) || blobId(content) !== oid;
    });
    if (wrong !== undefined || answers.length !== batch.length)
      throw new FilesRefused(
        `a content is not what its id says (${wrong ?? "more than was asked for"})`,
        true,
      );
    [batch, bytes] = [[], 0];
  };
  for (const [oid, size] of sizes) {
    if (batch.length > 0 && (bytes + size > maxPartBytes || batch.length >= 1_000)) await read();
    batch.push(oid);
    bytes += size;
  }
  await read();
  return known;
}

async function writeFiles(
  root: string,
  files: readonly SentFile[],
  contents: ReadonlyMap<string, Buffer>,
): Promise<void> {
  const draftsPath = `${root}.receiving`;
  await mkdir(draftsPath, { recursive: true, mode: 0o700 });
  const drafts = await Folder.open(draftsPath);
  try {
    for (const { path, mode } of files) if (mode === null) await removeFile(root, path);
    for (const file of files)
      if (file.mode !== null)
        await inFolders(root, file.path, async (folder, name) => {
          await putDraft(drafts, file, contents.get(file.oid ?? "") ?? Buffer.alloc(0));
          // A folder that is in the way has lost its files before.
          if ((await folder.statOrNull(name))?.isDirectory()) await removeEntry(folder, name);
          await drafts.rename("draft", folder, name);
        });
  } finally {
    await drafts.close();
  }
}

async function putDraft(drafts: Folder, { mode }: SentFile, content: Buffer): Promise<void> {
  await removeEntry(drafts, "draft");
  if (mode === linkMode) return drafts.makeLink("draft", content);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const file = await drafts.openFile("draft", flags, mode === "100755" ? 0o777 : 0o666);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

/** With the folders above it that are empty then. */
async function removeFile(root: string, path: string): Promise<void> {
  const opened: { readonly folder: Folder; readonly name: string }[] = [];
  let folder = await Folder.open(root);
  try {
    const names = path.split("/");
    for (const [at, name] of names.entries()) {
      opened.push({ folder, name });
      const stats = await folder.statOrNull(name);
      if (at === names.length - 1) {
        if (stats !== null && !stats.isDirectory()) await folder.removeFile(name);
      } else if (!stats?.isDirectory()) return;
      else folder = await folder.folder(name);
    }
    for (const above of opened.toReversed().slice(1))
      try {
        await above.folder.removeEmptyFolder(above.name);
      } catch {
        // It has other files.
        return;
      }
  } finally {
    for (const one of opened) await one.folder.close();
  }
}

/** Opens the folder of a path, made where it is missing; no link is followed. */
async function inFolders(
  root: string,
  path: string,
  work: (folder: Folder, name: string) => Promise<void>,
): Promise<void> {
  const names = path.split("/");
  const leaf = names.pop() ?? "";
  const opened = [await Folder.open(root)];
  try {
    for (const name of names) {
      const parent = opened.at(-1) as Folder;
      const stats = await parent.statOrNull(name);
      if (stats !== null && !stats.isDirectory()) await parent.removeFile(name);
      if (!stats?.isDirectory()) await parent.makeFolder(name);
      opened.push(await parent.folder(name));
    }
    await work(opened.at(-1) as Folder, leaf);
  } finally {
    for (const one of opened) await one.close();
  }
}
