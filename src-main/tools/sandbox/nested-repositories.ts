import { childEnvironment } from "../../config/child-environment.ts";
import { onPath } from "../../config/tools.ts";
import { runProgram } from "../../processes/run-program.ts";

/** What Git and jj take for a repository of their own, in any case of its letters. */
const names = ["(", "-iname", ".git", "-o", "-iname", ".jj", ")"];
const patienceMs = 120_000;
/** A command line has room for no more. */
const foldersAtOnce = 200;

/**
 * Repositories below some folders, by the paths of their `.git` or `.jj`. Such folders hold what was installed or built,
 * so a program of the system looks through them: it needs a tenth of the time. It follows no link.
 * @param workspace while nobody can change it
 * @param folders relative to it
 * @throws Error where they could not be looked through
 */
export async function nestedRepositories(
  workspace: string,
  folders: readonly string[],
): Promise<readonly Buffer[]> {
  if (folders.length === 0) return [];
  const program = onPath(["find"]);
  if (program === undefined)
    throw new Error("The program find, which looks for planted repositories, is missing.");
  const found: Uint8Array[] = [];
  for (let at = 0; at < folders.length; at += foldersAtOnce) {
    const places = folders.slice(at, at + foldersAtOnce).map((path) => `./${path}`);
    const { isTimedOut, error } = await runProgram(
      {
        program,
        args: [...places, ...names, "-prune", "-print0"],
        cwd: workspace,
        env: { ...childEnvironment(), LC_ALL: "C" },
        timeoutMs: patienceMs,
      },
      (bytes) => void found.push(bytes),
    );
    if (error || isTimedOut)
      throw new Error(
        `Could not search ignored folders for planted repositories: ${error?.message ?? "it took too long"}`,
      );
  }
  return pathsIn(Buffer.concat(found));
}

/** Paths that end with a null byte each, without the `./` before them. */
function pathsIn(printed: Buffer): readonly Buffer[] {
  const paths: Buffer[] = [];
  for (let start = 0, end = printed.indexOf(0); end >= 0; start = end + 1, end = printed.indexOf(0, start))
    paths.push(printed.subarray(start + 2, end));
  return paths;
}
