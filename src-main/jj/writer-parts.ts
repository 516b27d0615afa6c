import type { ConvergeAccess } from "./converge.ts";
import type { GraphMemory } from "./graph-memory/graph-memory.ts";
import type { Store } from "./op-heads.ts";
import type { OwnWrites } from "./own-writes.ts";
import type { WriteOptions, Written } from "./ports/graph-writer.ts";
import type { Jj } from "./process.ts";
import type { Done, QueuedWrite, WriteQueue } from "./queue.ts";
import { pinned } from "./read-access.ts";
import type { Reader } from "./reader.ts";
import type { Unpublished } from "./unpublished.ts";

export interface WriterParts {
  readonly jj: Jj;
  readonly root: string;
  readonly store: Store;
  readonly queue: WriteQueue;
  readonly ownWrites: OwnWrites;
  readonly reader: Reader;
  readonly memory: GraphMemory;
  /** The one current operation, reconciled if need be; to be called from inside the queue. */
  readonly settle: () => Promise<string>;
}

/** Writes that move no file of the opened workspace leave it alone: no snapshot of half-typed work, and quick. */
export const leaveFiles = "--ignore-working-copy";

/** Inside the queue: how divergent changes are read and written. */
export const convergeAccess = (
  { jj, root, queue, settle }: WriterParts,
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
  { queue, root }: WriterParts,
  args: readonly string[],
  options?: WriteOptions,
  more: Pick<QueuedWrite, "describes"> = {},
): Promise<Done> => queue.exclusive(() => queue.write({ args, folder: root, options, ...more }));

/** The part of a write that callers receive. */
export const written = async (done: Promise<Done>): Promise<Written> => ({
  operation: (await done).operation,
});

/** Inside the queue: publishes a row whole; what others did meanwhile is merged in as for any two commands at once. */
export async function publish(
  { queue, root, settle }: WriterParts,
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
