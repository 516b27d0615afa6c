import { confirm } from "../../kit/dialog.tsx";

/** Explains what making a folder a jj repository does, and asks. */
export function askToAdopt(root: string, kind: "git" | "plain"): Promise<boolean> {
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
