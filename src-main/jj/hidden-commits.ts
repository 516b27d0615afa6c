import { createdIn, duplicatedIn } from "./created.ts";
import { JjError } from "./errors.ts";
import type { GraphWriter, HiddenCommit } from "./ports/graph-writer.ts";
import { pinned } from "./read-access.ts";
import { beginUnpublished, messageArgument, type Unpublished } from "./unpublished.ts";
import { publish, type WriterParts } from "./writer-parts.ts";

/**
 * Makes commits that never stand on the graph: they are made and abandoned in one row of operations, of which only the last
 * is published. From then on they are read by their ids, like any previous version of a change.
 */
export const createHiddenCommits = (parts: WriterParts): Pick<GraphWriter, "hiddenCommits"> => ({
  hiddenCommits: (commits, options) =>
    parts.queue.exclusive(async () => {
      if (commits.length === 0) return { operation: await parts.settle(), commitIds: [] };
      const row = beginUnpublished(parts.jj, parts.root, await parts.settle(), options);
      const changes: string[] = [];
      for (const commit of commits) {
        const change = await make(row, commit, changes);
        changes.push(change);
        await row.writeFiles(change, commit.files);
      }
      const commitIds = await idsOf(parts, row, changes);
      await row.run(["abandon", "--", ...changes]);
      return { operation: await publish(parts, row, options), commitIds };
    }),
});

/** @returns the change, which is the same while files are written into it */
async function make(row: Unpublished, commit: HiddenCommit, before: readonly string[]): Promise<string> {
  const earlier = (place: number): string => {
    const change = before[place];
    if (change !== undefined) return change;
    throw new RangeError(`There is no hidden commit ${place} before this one.`);
  };
  if ("copyOf" in commit) {
    const of = typeof commit.copyOf === "number" ? earlier(commit.copyOf) : commit.copyOf;
    return duplicatedIn(await row.run(["duplicate", "--", of])).changeId;
  }
  const parents = "merges" in commit ? commit.merges : [commit.on === null ? "root()" : earlier(commit.on)];
  const made = await row.run(["new", "--no-edit", messageArgument(commit.description), "--", ...parents]);
  return createdIn(made).changeId;
}

async function idsOf(
  { jj, root }: WriterParts,
  row: Unpublished,
  changes: readonly string[],
): Promise<readonly string[]> {
  const { stdout } = await jj.run({
    args: [
      ...pinned(root, row.operation()),
      ...["log", "--no-graph", "-r", changes.join("|")],
      ...["-T", 'change_id ++ " " ++ commit_id ++ "\\n"'],
    ],
    cwd: root,
  });
  const byChange = new Map(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" ") as [string, string]),
  );
  return changes.map((change) => {
    const commit = byChange.get(change);
    if (commit !== undefined) return commit;
    throw new JjError({
      kind: "failed",
      message: `jj did not say which commit ${change} is.`,
      stderr: "",
      remedy: "Try again; nothing was published.",
    });
  });
}
