import { JjError } from "./errors.ts";
import { keepingGitIndex } from "./home-workspace.ts";
import { inspectFolder } from "./inspect-folder.ts";
import { createJj, requireVersion } from "./process.ts";

/**
 * Makes a Git repository a jj repository too, in the same folder; Git keeps working beside it. (HOX-1.1)
 * @param folder the root of a Git repository
 * @throws JjError when it is none, when git is too old, or when jj refuses
 */
export async function initBesideGit(folder: string): Promise<void> {
  const found = await inspectFolder(folder);
  if (found.kind === "jj") return;
  if (found.kind !== "git" || !found.colocatable)
    throw new JjError({
      kind: "not-a-repository",
      message: `${folder} cannot be made a jj repository beside Git.`,
      remedy:
        found.kind === "git"
          ? (found.reason ?? "")
          : "remedy" in found
            ? found.remedy
            : "Run `git init` first.",
    });
  const jj = createJj();
  await requireVersion(jj, found.root);
  // jj records the files at once, and makes Git's index anew: what is staged stays, and what is new stays nobody's.
  await keepingGitIndex(found.root, () =>
    jj.run({
      args: [
        ...["--config", 'snapshot.auto-track="none()"'],
        ...["git", "init", "--colocate", "--quiet", "--", found.root],
      ],
      cwd: found.root,
    }),
  );
}

/**
 * Makes a plain folder a jj repository; its files become the first change. Without git 2.42 it stays without a
 * `.git` folder of its own.
 * @param folder an existing folder
 */
export async function initPlain(folder: string, { colocate = true } = {}): Promise<void> {
  const jj = createJj();
  await requireVersion(jj, folder);
  await jj.run({
    args: ["git", "init", colocate ? "--colocate" : "--no-colocate", "--quiet", "--", folder],
    cwd: folder,
  });
}
