import { confirm } from "../../kit/confirm.tsx";

/** Explains what making a folder a jj repository does, and asks. */
export function askToAdopt(root: string, kind: "git" | "plain"): Promise<boolean> {
  return confirm({
    title: kind === "git" ? "Use jj beside Git in this repository?" : "Make this folder a repository?",
    action: kind === "git" ? "Set up jj beside Git" : "Make it a repository",
    body: (
      <div className="flex flex-col gap-2">
        <p className="font-mono text-sm break-all text-text">{root}</p>
        {kind === "git" ? (
          <>
            <p>
              Hox works on jj’s change graph. It will add a folder .jj beside .git and read your commits from
              it.
            </p>
            <ul className="list-disc pl-4">
              <li>Your files, commits, branches and remotes stay as they are, and Git goes on working.</li>
              <li>Git will show a detached HEAD: jj moves bookmarks (branches) only when told to.</li>
              <li>To go back, delete the folder .jj.</li>
            </ul>
          </>
        ) : (
          <>
            <p>
              This folder has no history yet. Hox will add .git and .jj to it and take its files as the first
              change.
            </p>
            <p>No file of yours is changed. To go back, delete these two folders.</p>
          </>
        )}
      </div>
    ),
  });
}
