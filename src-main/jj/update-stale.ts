import { JjError } from "./errors.ts";
import { newMark, writeMarks } from "./marks.ts";
import type { Jj } from "./process.ts";
import type { WriteOptions } from "./repository-interface.ts";

/**
 * Brings the files of a workspace up to its rewritten commit. Edits that nobody had recorded before the rewrite
 * come out of jj as a second commit of the same change, and leave the disk; they are put back by converging the
 * two. To be called from inside the queue.
 * @returns whether the files were behind
 * @throws JjError `divergent` when jj cannot put the edits back: they stay in the commit that the message names
 */
export async function bringUpToDate(
  jj: Jj,
  folder: string,
  options: WriteOptions | undefined,
  settings: readonly string[] = [],
): Promise<boolean> {
  const run = (...args: readonly string[]) =>
    jj.run({
      head: writeMarks(newMark(), options),
      args: ["-R", folder, ...settings, ...args],
      cwd: folder,
    });
  const { stderr } = await run("workspace", "update-stale");
  if (/working copy is not stale/.test(stderr)) return false;
  const twins = (template: string) =>
    run("--ignore-working-copy", "--quiet", "log", "--no-graph", "-r", "@ & divergent()", "-T", template);
  const changeId = (await twins("change_id")).stdout;
  if (changeId === "") return true;
  try {
    await run("converge", "--no-interactive", "-r", `change_id(${changeId})`);
  } catch (error) {
    // Inconclusive heuristics are an answer, not a failure: both commits stay and are named below.
    if (!(error instanceof JjError) || !/Could not converge/i.test(error.stderr)) throw error;
  }
  if ((await twins("change_id")).stdout === "") return true;
  throw new JjError({
    kind: "divergent",
    message: `The files in ${folder} were changed while their commit was rewritten, and jj cannot join the two by itself.`,
    remedy: `Both are kept: look at them with \`jj log -r 'change_id(${changeId})'\` and squash one into the other.`,
  });
}
