import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readBoundedFileOrNull } from "../disk/repository-files.ts";
import { readGitCheckout } from "./git-checkout.ts";
import { runGit } from "./git-process.ts";

/** Commits that jj keeps from Git's garbage collection. */
const keptByJj = "refs/jj/";

/**
 * Makes a folder a jj repository and, when that fails, removes what it made: half a repository would be opened as a whole one
 * the next time.
 * @param root a folder without `.jj`
 * @param init what makes it one
 * @throws what `init` throws
 */
export async function undoFailedInit<T>(root: string, init: () => Promise<T>): Promise<T> {
  const had = { jj: existsSync(join(root, ".jj")), git: existsSync(join(root, ".git")) };
  const restoreGit = had.git ? await rememberGit(root) : null;
  try {
    return await init();
  } catch (error) {
    if (!had.jj) await rm(join(root, ".jj"), { recursive: true, force: true });
    if (restoreGit) await restoreGit();
    else await rm(join(root, ".git"), { recursive: true, force: true });
    throw error;
  }
}

/** Reads what setting up jj changes of a Git repository, and answers what puts it back. */
async function rememberGit(root: string): Promise<() => Promise<void>> {
  const checkout = readGitCheckout(root);
  if (checkout === null) return async () => {};
  const files = [join(checkout.gitFolder, "HEAD"), join(checkout.commonFolder, "info", "exclude")];
  const texts = await Promise.all(files.map(readOrNull));
  const refs = new Set(await refsOfJj(root));
  return async () => {
    for (const [at, file] of files.entries()) {
      const before = texts[at] ?? null;
      if (before === null) await rm(file, { force: true });
      else if (before !== (await readOrNull(file))) await writeFile(file, before);
    }
    const made = (await refsOfJj(root)).filter((ref) => !refs.has(ref));
    const input = made.map((ref) => `delete ${ref}\n`).join("");
    if (made.length > 0) await runGit({ args: ["update-ref", "--stdin"], cwd: root, input });
  };
}

const readOrNull = async (file: string): Promise<string | null> => readBoundedFileOrNull(file, 1_000_000);

async function refsOfJj(root: string): Promise<readonly string[]> {
  const { stdout } = await runGit({
    args: ["for-each-ref", "--format=%(refname)", keptByJj],
    cwd: root,
  });
  return stdout.split("\n").filter((ref) => ref !== "");
}
