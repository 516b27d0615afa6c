/** Where a change's files lie on this machine. */
import { chmod, lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { Place } from "#shared/domain/open-in/opener.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import { Refusal } from "../refusal.ts";

/** A folder in which somebody has a change checked out. */
export interface WorkingFolder {
  readonly commitId: string;
  readonly folder: string;
}

export interface Wanted {
  readonly change: Change;
  /** Of the repository; null: all of it. */
  readonly path: string | null;
  readonly line: number | null;
}

export interface FoundPlace extends Place {
  /** What the place is not; null: it is what was asked for. */
  readonly note: string | null;
}

/**
 * @param folders the person's own first
 * @param copies where files are laid out that nobody has checked out
 * @throws Refusal where there is no such place, or it is not safe to open
 */
export async function findPlace(
  repository: Pick<Repository, "listFiles" | "readFile">,
  { change, path, line }: Wanted,
  folders: readonly WorkingFolder[],
  copies: string,
): Promise<FoundPlace> {
  const own = folders.find(({ commitId }) => commitId === change.commitId);
  if (path === null) {
    if (own) return { path: await folderItself(own.folder), folder: own.folder, line: null, note: null };
    throw new Refusal(
      "This change is not checked out in any workspace, so it has no folder.",
      "Open one of its files, or check it out with `jj edit` or `jj new`.",
    );
  }
  if (!(await repository.listFiles(change.commitId)).includes(path))
    throw new Refusal(
      `${shownName(path)} is not a file in this change.`,
      "It may have been removed or renamed: select it again.",
    );
  if (!own) return copyOf(repository, { change, path, line }, copies);
  const file = join(own.folder, ...path.split("/"));
  await refuseLinks(own.folder, file, path);
  return { path: file, folder: dirname(file), line, note: null };
}

/** Not what a link in its place leads to. */
async function folderItself(folder: string): Promise<string> {
  const found = await lstat(folder).catch(() => null);
  if (!found?.isDirectory())
    throw new Refusal(`${folder} is not a folder.`, "Resume its agent: Hox recreates a missing workspace.");
  return folder;
}

/** An agent may have put a link in the place of a file or of a folder: what it leads to is not the person's to have opened. */
async function refuseLinks(folder: string, file: string, path: string): Promise<void> {
  const found = await lstat(file).catch(() => null);
  if (found === null)
    throw new Refusal(
      `${shownName(path)} no longer exists.`,
      "It was deleted after the change was recorded.",
    );
  const [root, real] = await Promise.all([realpath(folder), realpath(file)]);
  if (!found.isFile() || real !== join(root, ...path.split("/")))
    throw new Refusal(
      `${shownName(path)} is a link or is inside a linked folder.`,
      "Hox opens only real files: follow the link in a terminal.",
    );
}

/** The file as it is in the change, where it can be read and not be written. */
async function copyOf(
  repository: Pick<Repository, "readFile">,
  { change, path, line }: Wanted & { readonly path: string },
  copies: string,
): Promise<FoundPlace> {
  const folder = join(copies, change.commitId.slice(0, 12));
  const file = join(folder, ...path.split("/"));
  if (!file.startsWith(folder + sep)) throw new Refusal(`${shownName(path)} is outside its folder.`, null);
  const content = await repository.readFile(change.commitId, path);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // One that was opened before cannot be written over.
  await rm(file, { force: true });
  await writeFile(file, content, { mode: 0o600, flag: "wx" });
  await chmod(file, 0o400);
  return {
    path: file,
    folder: dirname(file),
    line,
    note: "This change is not checked out: this is a read-only copy, and edits to it are lost.",
  };
}
