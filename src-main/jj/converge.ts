import { mergeDescriptions } from "#shared/domain/trailers.ts";
import { JjError } from "./errors.ts";
import type { Jj } from "./process.ts";
import type { WriteQueue } from "./queue.ts";
import type { Reader } from "./reader.ts";
import { pinned } from "./reader.ts";
import type { WriteOptions } from "./repository-interface.ts";
import { quoted } from "./row-template.ts";

export interface ConvergeParts {
  readonly jj: Jj;
  readonly root: string;
  readonly queue: WriteQueue;
  readonly reader: Reader;
  readonly settle: () => Promise<string>;
}

/** Repairs one divergent change among those of `scope`; answers whether it is one commit now. */
export type ConvergeChange = (
  changeId: string,
  scope: string,
  options: WriteOptions | undefined,
) => Promise<boolean>;

/** Makes the repair of one divergent change; to be called from inside the queue. */
export function createConverge({ jj, root, queue, reader, settle }: ConvergeParts): ConvergeChange {
  async function earlier(operation: string, commit: string): Promise<readonly (readonly [string, string])[]> {
    const { stdout } = await jj.run({
      args: [
        ...pinned(root, operation),
        "evolog",
        "--no-graph",
        "--limit=200",
        "-r",
        commit,
        "-T",
        '"[" ++ json(commit.commit_id()) ++ "," ++ json(commit.description()) ++ "]\\n"',
      ],
      cwd: root,
    });
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as readonly [string, string]);
  }

  /** Gives two commits of one change the same description where the two can be joined; jj asks a person instead. */
  async function joinDescriptions(
    operation: string,
    revset: string,
    options: WriteOptions | undefined,
  ): Promise<void> {
    const [one, other, ...more] = await reader.query(revset, { operation });
    if (!one || !other || more.length > 0 || one.description === other.description) return;
    const known = new Map(await earlier(operation, other.commitId));
    const base = (await earlier(operation, one.commitId)).find(([commit]) => known.has(commit));
    if (!base) return;
    const text = mergeDescriptions(base[1], one.description, other.description);
    if (text === undefined) return;
    await queue.write({
      args: ["--ignore-working-copy", "describe", "--stdin", "-r", one.commitId, "-r", other.commitId],
      folder: root,
      options,
      input: text,
    });
  }

  /**
   * Repairs one divergent change: descriptions by Hox's own rules for trailers, the rest by jj's heuristics.
   * @returns whether the change is one commit now
   */
  return async function convergeChange(
    changeId: string,
    scope: string,
    options: WriteOptions | undefined,
  ): Promise<boolean> {
    const revset = `(${scope}) & change_id(${quoted(changeId)}) & divergent()`;
    const before = await settle();
    if ((await reader.query(revset, { operation: before, limit: 1 })).length === 0) return true;
    await joinDescriptions(before, revset, options);
    try {
      await queue.write({
        args: ["converge", "--no-interactive", "-r", revset],
        folder: root,
        options,
      });
    } catch (error) {
      // Inconclusive heuristics are an answer, not a failure: both commits stay and are named.
      if (!(error instanceof JjError) || !/Could not converge/i.test(error.stderr)) throw error;
    }
    return (await reader.query(revset, { operation: await settle(), limit: 1 })).length === 0;
  };
}
