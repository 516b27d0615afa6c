import { convergeChange } from "./converge.ts";
import { JjError } from "./errors.ts";
import { newMark, writeMarks } from "./marks.ts";
import type { Jj, JjCall } from "./process.ts";
import type { WriteOptions } from "./repository-interface.ts";

type Read = (args: readonly string[]) => Promise<string>;

/**
 * Commits of tasks that a person had abandoned, or squashed into another change, and that jj brought back because there
 * were edits in their workspace that nobody had recorded. The edits stay, and the task stays gone.
 */
async function revived(read: Read, before: string): Promise<readonly string[]> {
  const newer = `(all() ~ at_operation(${before}, all())) & description(regex:"(?m)^Hox-Kind: ")`;
  const listed = await read([
    "log",
    "--no-graph",
    "-r",
    newer,
    "-T",
    'self.change_id() ++ " " ++ self.commit_id() ++ "\\n"',
  ]);
  const found: string[] = [];
  for (const line of listed.split("\n").filter((text) => text !== "")) {
    const [changeId = "", commit = ""] = line.split(" ");
    const known = `at_operation(${before}, present(${changeId}))`;
    if ((await read(["log", "--no-graph", "-r", known, "-T", '"x"'])) === "") found.push(commit);
  }
  return found;
}

/**
 * Brings the files of a workspace up to its rewritten commit. Edits that nobody had recorded before the rewrite
 * come out of jj as a second commit of the same change, and leave the disk; they are put back by converging the
 * two. Where the change was abandoned meanwhile they come out in a change of their own without a name. To be called from
 * inside the queue.
 * @returns whether the files were behind
 * @throws JjError `divergent` when jj cannot put the edits back: they stay in the commit that the message names
 */
export async function bringUpToDate(
  jj: Jj,
  folder: string,
  options: WriteOptions | undefined,
  settings: readonly string[] = [],
): Promise<boolean> {
  const command = (args: readonly string[], input?: string): JjCall => ({
    head: writeMarks(newMark(), options),
    args: ["-R", folder, ...settings, ...args],
    cwd: folder,
    ...(input === undefined ? {} : { input }),
  });
  const run = (...args: readonly string[]) => jj.run(command(args));
  const read = async (args: readonly string[]) =>
    (await run("--ignore-working-copy", "--quiet", ...args)).stdout;
  const before = await read(["op", "log", "--no-graph", "--limit", "1", "-T", "self.id()"]);
  const { stderr } = await run("workspace", "update-stale");
  if (/working copy is not stale/.test(stderr)) return false;
  for (const commit of await revived(read, before))
    await run("--ignore-working-copy", "metaedit", "--update-change-id", "--message=", "-r", commit);
  const twins = "@ & divergent()";
  const changeId = await read(["log", "--no-graph", "-r", twins, "-T", "self.change_id()"]);
  if (changeId === "") return true;
  const write = (args: readonly string[], input?: string) => jj.run(command(args, input));
  if (await convergeChange({ read, write }, changeId, "all()")) return true;
  throw new JjError({
    kind: "divergent",
    message: `The files in ${folder} were changed while their commit was rewritten, and jj cannot join the two by itself.`,
    remedy: `Both are kept: look at them with \`jj log -r 'change_id(${changeId})'\` and squash one into the other.`,
  });
}
