import type { FolderView } from "#shared/contract/commands/app.ts";
import { type FolderKind, inspectFolder } from "../jj/inspect-folder.ts";

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
