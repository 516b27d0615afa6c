import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { FolderEntry, FolderView } from "#shared/contract/commands/app.ts";
import { type FolderKind, inspectFolder } from "../jj/inspect-folder.ts";
import { Refusal } from "./refusal.ts";

const most = 2_000;

/** A path as typed: `~` is the home folder, and nothing is relative to the host's current directory. */
export function absolutePath(path: string): string {
  const full = path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
  if (!isAbsolute(full))
    throw new Refusal(`"${path}" is not an absolute path.`, "Write the path from the root or from ~.");
  return resolve(full);
}

/** Folders below a path, for the picker of the browser shell. Hidden ones are left out. */
export async function listFolders(
  path: string | null,
): Promise<{ path: string; parent: string | null; entries: readonly FolderEntry[] }> {
  const folder = path === null ? homedir() : absolutePath(path);
  let names: string[];
  try {
    const found = await readdir(folder, { withFileTypes: true });
    names = found
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
      .map((entry) => entry.name)
      .sort((a, b) => a.localeCompare(b))
      .slice(0, most);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new Refusal(`${folder} is not a folder.`, "Choose another folder.");
    throw new Refusal(
      `Can't list ${folder} (${code ?? (error as Error).message}).`,
      "Allow your user to read it, or choose another folder.",
    );
  }
  const parent = dirname(folder);
  return {
    path: folder,
    parent: parent === folder ? null : parent,
    entries: names.map((name) => ({ name, path: join(folder, name), kind: kindOf(join(folder, name)) })),
  };
}

function kindOf(folder: string): FolderEntry["kind"] {
  if (existsSync(join(folder, ".jj"))) return "jj";
  return existsSync(join(folder, ".git")) ? "git" : "folder";
}

/** What a folder is, in words for the screen. */
export async function folderView(path: string): Promise<FolderView> {
  return viewOf(path, await inspectFolder(path));
}

function viewOf(path: string, found: FolderKind): FolderView {
  switch (found.kind) {
    case "jj":
      return { kind: "jj", root: found.root };
    case "git":
      return { kind: "git", root: found.root, canAdopt: found.colocatable, reason: found.reason ?? null };
    case "plain":
      return { kind: "plain", root: path };
    case "missing":
      return { kind: "missing", root: path, reason: `No folder ${path}.`, remedy: found.remedy };
    case "bare":
      return {
        kind: "bare",
        root: path,
        reason: `${path} is a bare Git repository without files.`,
        remedy: found.remedy,
      };
    case "unreadable":
    case "broken":
      return { kind: found.kind, root: path, reason: found.reason, remedy: found.remedy };
  }
}
