import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { initPlain } from "./init.ts";
import { gitFolderOf } from "./op-heads.ts";
import { createJj } from "./process.ts";

/** Whose commits they are that are made there. */
const somebody = { name: "Hox", email: "hox@localhost" } as const;

/** How jj hears of the commit. */
const borrowed = "hox-borrowed";

/**
 * Makes a repository with one commit of another one, all that led to it, and a branch that points at it. Its objects are
 * read where they are; in the other repository nothing is written, not even an operation.
 *
 * @param options.from a folder of the repository that has the commit
 * @param options.to an empty folder
 */
export async function borrowCommit(options: {
  readonly from: string;
  readonly to: string;
  readonly commit: string;
  readonly branch: string;
}): Promise<void> {
  const { from, to, commit, branch } = options;
  const jj = createJj();
  const run = (args: readonly string[]) => jj.run({ args, cwd: to });
  await initPlain(to, { colocate: false });
  const git = await gitFolderOf(to);
  await writeFile(
    join(git, "objects", "info", "alternates"),
    `${join(await gitFolderOf(from), "objects")}\n`,
  );
  await writeFile(join(git, "refs", "heads", borrowed), `${commit}\n`);
  await run(["--quiet", "git", "import"]);
  await run(["--quiet", "bookmark", "set", "-r", commit, "--", branch]);
  await run(["--quiet", "bookmark", "delete", "--", borrowed]);
  for (const key of ["name", "email"] as const)
    await run(["config", "set", "--repo", `user.${key}`, somebody[key]]);
  await run(["--quiet", "new", commit]);
}
