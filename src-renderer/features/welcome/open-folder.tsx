/** From "open a folder" to an open repository, with every stop between. */
import type { FolderView } from "#shared/contract/commands/app.ts";
import { client, toFailure } from "../../client.ts";
import { confirm } from "../../kit/dialog.tsx";
import { useHost } from "../../state/host-store.ts";
import { notify, notifyFailure } from "../../state/notify.ts";
import { closeDialogOf, openDialog } from "../../state/selection-store.ts";

/** Opens a folder; without one it asks which, with the system's dialog where there is one. */
export async function openFolder(path?: string): Promise<void> {
  if (path !== undefined) return openPath(path);
  if (!useHost.getState().app?.nativeDialog) {
    openDialog("open-repository");
    return;
  }
  try {
    const picked = await client.folder.pick();
    if (picked !== null) await openPath(picked);
  } catch (error) {
    notifyFailure("The folder dialog did not open", error);
  }
}

async function openPath(path: string): Promise<void> {
  const end = await tryToOpen(path);
  if (end.kind === "failed") notify("error", end.text, end.remedy);
}

export type Opening =
  | { readonly kind: "open" }
  /** The user said no to what it would take. */
  | { readonly kind: "declined" }
  | { readonly kind: "failed"; readonly text: string; readonly remedy: string | null };

/** Looks at a folder and opens it, asking first where it would have to be changed. */
export async function tryToOpen(path: string): Promise<Opening> {
  try {
    return await openInspected(await client.folder.inspect({ path }));
  } catch (error) {
    const { text, remedy } = toFailure(error);
    return { kind: "failed", text: `${path} was not opened: ${text}`, remedy };
  }
}

async function openInspected(found: FolderView): Promise<Opening> {
  switch (found.kind) {
    case "jj":
      await client.repository.open({ path: found.root });
      break;
    case "git":
      if (!found.canAdopt) {
        return {
          kind: "failed",
          text: `${found.root} cannot be opened: ${found.reason ?? "Git refuses it"}`,
          remedy: null,
        };
      }
      if (!(await askToAdopt(found.root, "git"))) return { kind: "declined" };
      await client.repository.adopt({ path: found.root });
      break;
    case "plain":
      if (!(await askToAdopt(found.root, "plain"))) return { kind: "declined" };
      await client.repository.adopt({ path: found.root });
      break;
    case "missing":
    case "unreadable":
    case "bare":
    case "broken":
      return { kind: "failed", text: found.reason, remedy: found.remedy };
  }
  closeDialogOf("open-repository");
  return { kind: "open" };
}

/** Explains what making a folder a jj repository does, and asks. */
function askToAdopt(root: string, kind: "git" | "plain"): Promise<boolean> {
  return confirm({
    title:
      kind === "git" ? "Use jj alongside Git in this repository?" : "Create a repository in this folder?",
    action: kind === "git" ? "Set up jj alongside Git" : "Create repository",
    body: (
      <div className="flex flex-col gap-2">
        <p className="font-mono text-sm break-all text-text">{root}</p>
        {kind === "git" ? (
          <>
            <p>Hox uses jj’s change graph. It adds a .jj folder next to .git and imports your commits.</p>
            <ul className="list-disc pl-4">
              <li>Your files, commits, branches and remotes do not change, and Git keeps working.</li>
              <li>
                Git shows a detached HEAD, because jj moves bookmarks (branches) only when you ask it to.
              </li>
              <li>To undo this, delete the .jj folder.</li>
            </ul>
          </>
        ) : (
          <>
            <p>
              This folder has no history yet. Hox adds .git and .jj and records its files as the first change.
            </p>
            <p>Your files do not change. To undo this, delete these two folders.</p>
          </>
        )}
      </div>
    ),
  });
}
