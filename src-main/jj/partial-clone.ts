import { readdirSync } from "node:fs";
import { join } from "node:path";
import { JjError } from "./errors.ts";
import { runGit } from "./git-process.ts";

/** A large repository is walked through once. */
const patienceMs = 5 * 60_000;

/**
 * Whether some of the objects may be at a remote alone, as after `git clone --filter`: Git marks what came in such a way.
 * @param gitFolder where the objects are
 */
export function isPartialClone(gitFolder: string): boolean {
  try {
    return readdirSync(join(gitFolder, "objects", "pack")).some((name) => name.endsWith(".promisor"));
  } catch {
    return false;
  }
}

/**
 * How many files and folders of one commit are missing on this machine, without the contents of missing
 * folders. Fetches nothing.
 * @throws JjError if git fails
 */
export async function objectsMissing(gitFolder: string, commit: string): Promise<number> {
  const { exitCode, stdout, stderr } = await runGit({
    args: [
      ...["--git-dir", gitFolder, "rev-list", "--objects", "--no-object-names", "--missing=print"],
      ...["--max-count=1", commit],
    ],
    cwd: gitFolder,
    timeoutMs: patienceMs,
  });
  if (exitCode !== 0)
    throw new JjError({
      kind: "failed",
      message: `Git could not list the missing files of ${commit.slice(0, 12)}.`,
      stderr,
    });
  return stdout.split("\n").filter((line) => line.startsWith("?")).length;
}
