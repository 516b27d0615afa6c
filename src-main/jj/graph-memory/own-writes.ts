import type { Store } from "../process/op-heads.ts";
import { readHeads, readOperationFile } from "../process/op-heads.ts";
import { isOwnMark, markIn } from "../write/marks.ts";

/**
 * Tells this process's writes from others' by the marks that jj records in operation files. With many agents
 * there are always writes between two steps of one of them; this tells, without a process, whether they
 * matter.
 */
export type OwnWrites = ReturnType<typeof createOwnWrites>;

interface CachedParents {
  readonly parents: readonly string[];
  /** Undefined where jj wrote no command down: `workspace add` makes such an operation, and one with its name on top. */
  readonly mark: string | null | undefined;
}

/** More operations than agents make while one of them thinks. */
const remembered = 4_000;

/** Makes what walks down the operations of a store, by their files. */
function createOperationWalk(store: Store) {
  // Operations never change.
  const operations = new Map<string, CachedParents>();

  async function read(operation: string): Promise<CachedParents | undefined> {
    const known = operations.get(operation);
    if (known) return known;
    const file = await readOperationFile(store, operation);
    if (!file) return undefined;
    const { parents, commandLine } = file;
    const found = { parents, mark: commandLine === "" ? undefined : markIn(commandLine) };
    keep(operations, operation, found);
    return found;
  }

  /** Whether `fits` holds for all operations after `from`, up to and with `to`. */
  async function allBetween(
    from: string,
    to: string,
    fits: (mark: string | null) => boolean,
  ): Promise<boolean> {
    const seen = new Set<string>();
    const open: { readonly operation: string; readonly above: string | null }[] = [
      { operation: to, above: null },
    ];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { operation, above } = next;
      if (operation === from || seen.has(operation)) continue;
      if (seen.size === remembered) return false;
      seen.add(operation);
      const known = await read(operation);
      if (!known) return false;
      const { mark = above, parents } = known;
      if (!fits(mark)) return false;
      for (const parent of parents) open.push({ operation: parent, above: mark });
    }
    return true;
  }

  async function upTo(
    to: string,
    { limit, since }: { limit: number; since?: string },
  ): Promise<readonly string[]> {
    const found = new Set([to]);
    for (const operation of found) {
      const { parents = [] } = (await read(operation)) ?? {};
      for (const parent of parents) if (parent !== since && found.size < limit) found.add(parent);
    }
    return [...found];
  }

  return { read, allBetween, upTo };
}

/** Makes the memory of the writes of one queue. */
export function createOwnWrites(store: Store) {
  const described = new Map<string, readonly string[] | null>();
  /** Marks of commands that have not ended. */
  const running = new Set<string>();
  const { read, allBetween, upTo } = createOperationWalk(store);

  const mayBeDescribedBetween = async (change: string, from: string, to: string): Promise<boolean> =>
    !(await allBetween(from, to, (mark) => {
      const describes = mark === null ? null : (described.get(mark) ?? null);
      return describes !== null && !describes.includes(change);
    }));

  return {
    /**
     * Before a command runs.
     * @param describes full ids of the changes whose descriptions it sets; null if unknown
     * @returns to be called when it has ended
     */
    begin(mark: string, describes: readonly string[] | null): () => void {
      keep(described, mark, describes);
      running.add(mark);
      return () => running.delete(mark);
    },

    /**
     * Whether an operation may be the first half of a command of ours: jj records no command in the first of
     * two, so a reader would take it for someone else's.
     */
    async mayBeHalf(operation: string): Promise<boolean> {
      if (running.size === 0) return false;
      const known = await read(operation);
      return known !== undefined && known.mark === undefined && running.size > 0;
    },

    /** Whether one command of this process recorded files before it did what it was asked: it made two operations. */
    async recordedFiles(operation: string): Promise<boolean | undefined> {
      const last = await read(operation);
      const [parent, ...others] = last?.parents ?? [];
      const before = parent === undefined ? undefined : await read(parent);
      if (!before || typeof last?.mark !== "string") return undefined;
      return others.length === 0 && before.mark === last.mark;
    },

    /**
     * Whether every operation after `from`, up to and including `to`, was made by this process. False also if
     * unknown.
     */
    onlyOwnBetween: (from: string, to: string): Promise<boolean> => allBetween(from, to, isOwnMark),
    /** See `GraphReader.operationsUpTo`. */
    operationsUpTo: upTo,

    /**
     * Whether a change's description may have changed since an operation: others wrote since, or one of our
     * writes set it. False only if every operation since is ours and none of them did.
     * @param change full change id
     */
    async mayBeDescribedSince(change: string, operation: string): Promise<boolean> {
      const [head, ...others] = await readHeads(store);
      return head === undefined || others.length > 0 || mayBeDescribedBetween(change, operation, head);
    },

    /** The same up to an operation that need not be the newest. */
    mayBeDescribedBetween,

    /**
     * The operation before the command that made this one, and perhaps others below it; undefined if unknown.
     */
    async standsOn(operation: string): Promise<string | undefined> {
      const last = await read(operation);
      for (let known = last; known; ) {
        const [parent, ...others] = known.parents;
        if (parent === undefined || others.length > 0) return undefined;
        known = await read(parent);
        if (known && known.mark !== last?.mark) return parent;
      }
      return undefined;
    },
  };
}

/** Keeps an entry, and forgets the oldest beyond what is remembered. */
function keep<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.set(key, value);
  const oldest = entries.keys().next();
  if (entries.size > remembered && !oldest.done) entries.delete(oldest.value);
}
