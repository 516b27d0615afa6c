import type { WriteOptions } from "../ports/graph-writer.ts";
import { JjError } from "../process/errors.ts";
import { readHeads, type Store } from "../process/op-heads.ts";
import type { Jj, JjCall } from "../process/process.ts";
import { quoted } from "../read/row-template.ts";
import { convergeChange } from "./converge.ts";
import { newMark, writeMarks } from "./marks.ts";

type Read = (args: readonly string[]) => Promise<string>;

/** Edits that were not recorded. */
interface Recovered {
  /**
   * Commits of tasks that the user had abandoned, or squashed into another change, and that jj brought back
   * because of the edits. They stay, and the task stays abandoned.
   */
  readonly revived: readonly string[];
  /** The change that the workspace works on, where it is two commits now. */
  readonly twin: string | null;
}

/** @param before the operation before the edits were recorded */
async function recovered(read: Read, before: string): Promise<Recovered> {
  const then = `at_operation(${before}, all())`;
  const twin = "@ & divergent()";
  const listed = await read([
    ...["log", "--no-graph", "-r"],
    `((all() ~ ${then}) & description(regex:"(?m)^Hox-Kind: ")) | (${twin})`,
    "-T",
    `self.change_id() ++ " " ++ self.commit_id() ++ if(self.contained_in(${quoted(twin)}), " twin") ++ "\n"`,
  ]);
  const revived: string[] = [];
  let twins: string | null = null;
  for (const line of listed.split("\n").filter((text) => text !== "")) {
    const [changeId = "", commit = "", isTwin] = line.split(" ");
    if (isTwin !== undefined) twins = changeId;
    const known = `at_operation(${before}, change_id(${changeId}))`;
    if ((await read(["log", "--no-graph", "-r", known, "-T", '"x"'])) === "") revived.push(commit);
  }
  return { revived, twin: twins };
}

/**
 * Updates the files of a workspace to its rewritten commit. jj turns edits that were not recorded before the
 * rewrite into a second commit of the same change and removes them from disk; converging the two restores
 * them. If the change was abandoned meanwhile, they are in an unnamed change. Call it from inside the queue.
 * One process if everything was recorded.
 * @param settings for all of its commands
 * @returns whether the files were stale, and what jj said when it updated them
 * @throws JjError `divergent` if jj cannot restore the edits: they stay in the commit that the message names
 */
export async function bringUpToDate(
  { jj, store }: { readonly jj: Jj; readonly store: Store },
  folder: string,
  options: WriteOptions | undefined,
  settings: readonly string[] = [],
): Promise<{ readonly updated: boolean; readonly stderr: string }> {
  const command = (args: readonly string[], input?: string): JjCall => ({
    head: writeMarks(newMark(), options),
    args: ["-R", folder, ...settings, ...args],
    cwd: folder,
    ...(input === undefined ? {} : { input }),
  });
  const run = (...args: readonly string[]) => jj.run(command(args));
  const read = async (args: readonly string[]) =>
    (await run("--ignore-working-copy", "--quiet", ...args)).stdout;
  const [head, ...forks] = await readHeads(store);
  // A fork is merged by whatever jj is asked first.
  const before =
    head !== undefined && forks.length === 0
      ? head
      : await read(["op", "log", "--no-graph", "--limit", "1", "-T", "self.id()"]);
  const { stderr } = await run("workspace", "update-stale");
  const updated = !/working copy is not stale/.test(stderr);
  // Nothing was snapshotted, so there were no unrecorded edits.
  if (!updated || (await readHeads(store)).join() === before) return { updated, stderr };
  const { revived, twin } = await recovered(read, before);
  for (const commit of revived)
    await run("--ignore-working-copy", "metaedit", "--update-change-id", "--message=", "-r", commit);
  if (twin === null) return { updated, stderr };
  const write = (args: readonly string[], input?: string) => jj.run(command(args, input));
  if (await convergeChange({ read, write }, twin, "all()")) return { updated, stderr };
  throw new JjError({
    kind: "divergent",
    message: `The files in ${folder} were changed while their commit was rewritten, and jj can't merge the two automatically.`,
    remedy: `Both are kept. Compare them with \`jj log -r 'change_id(${twin})'\` and squash one into the other.`,
  });
}
