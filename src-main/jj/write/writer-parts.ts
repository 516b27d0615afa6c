import type { Lfs } from "../git/lfs.ts";
import type { NotesStore } from "../git/notes.ts";
import type { CommitStore } from "../graph-memory/commit-store.ts";
import type { GraphMemory } from "../graph-memory/graph-memory.ts";
import type { OwnWrites } from "../graph-memory/own-writes.ts";
import type { WriteOptions, Written } from "../ports/graph-writer.ts";
import type { Store } from "../process/op-heads.ts";
import type { Identity, Jj } from "../process/process.ts";
import { pinned } from "../read/read-access.ts";
import type { Reader } from "../read/reader.ts";
import type { Unpublished } from "../read/unpublished.ts";
import type { ConvergeAccess } from "./converge.ts";
import type { QueuedWrite, WriteQueue } from "./queue.ts";

/** What the parts of one opened repository share. */
export interface RepositoryParts {
  readonly jj: Jj;
  readonly root: string;
  readonly store: Store;
  readonly queue: WriteQueue;
  readonly ownWrites: OwnWrites;
  readonly reader: Reader;
  readonly memory: GraphMemory;
  readonly commits: CommitStore;
  readonly notes: NotesStore;
  readonly lfs: Lfs;
  readonly identity: () => Promise<Identity | null>;
  /** The operation that a read without one is pinned to. */
  readonly current: () => Promise<string>;
  /** The one current operation, reconciled if need be; to be called from inside the queue. */
  readonly settle: () => Promise<string>;
}

/** Writes that move no file of the opened workspace leave it alone: no snapshot of half-typed work, and quick. */
export const leaveFiles = "--ignore-working-copy";

/** Inside the queue: how divergent changes are read and written. */
export const convergeAccess = (
  { jj, root, queue, settle }: RepositoryParts,
  options: WriteOptions | undefined,
): ConvergeAccess => ({
  read: async (args) => {
    const { stdout } = await jj.run({ args: [...pinned(root, await settle()), ...args], cwd: root });
    return stdout;
  },
  write: (args, input) =>
    queue.write({ args, folder: root, options, ...(input === undefined ? {} : { input }) }),
});

/** One command that is one write. */
export const writeOne = (
  { queue, root }: RepositoryParts,
  args: readonly string[],
  options?: WriteOptions,
  more: Pick<QueuedWrite, "describes"> = { describes: [] },
): Promise<Written> =>
  queue.exclusive(async () => {
    const { operation } = await queue.write({ args, folder: root, options, ...more });
    return { operation };
  });

/** Inside the queue: publishes a row whole; what others did meanwhile is merged in as for any two commands at once. */
export async function publish(
  { queue, root, settle }: RepositoryParts,
  row: Unpublished,
  options: WriteOptions | undefined,
): Promise<string> {
  const done = await queue.write({
    args: [leaveFiles, "op", "integrate", row.operation()],
    folder: root,
    options,
    publishes: row.operation(),
  });
  await settle();
  return done.operation;
}
