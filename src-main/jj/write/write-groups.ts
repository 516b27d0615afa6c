import type { WriteOptions } from "../ports/graph-writer.ts";
import { JjError } from "../process/errors.ts";
import { isFullId } from "../read/read-named.ts";
import type { WriteQueue } from "./queue.ts";

/** A write as it was asked for. */
export interface Asked {
  /** Of all changes that it writes. */
  readonly names: readonly string[];
  readonly options: WriteOptions;
}

/** One that waits for its turn. */
export type Waiting<A extends Asked, R> = A & {
  /** Writes it by itself. */
  readonly alone: () => Promise<R>;
  readonly done: PromiseWithResolvers<R>;
};

/** A command line has room for more. */
const maxTogether = 100;

/**
 * An operation with a request may be undone as a whole, or be looked for: it holds nothing else. A name that is no full id
 * may mean another change when its turn comes.
 */
const mayJoin = ({ names, options }: Asked): boolean =>
  options.request === undefined && names.length <= maxTogether && names.every(isFullId);

/** Each of several would be cut off again, after as long. */
const isCutOff = (error: unknown): boolean =>
  error instanceof JjError && (error.kind === "killed" || error.kind === "timeout");

/**
 * Makes what lets writes of one kind wait for each other. When the first of those that wait has its turn in the queue, all
 * of them are written, those of different changes in one process.
 * @returns what queues a write, with what writes it alone from inside the queue
 */
export function createGroups<A extends Asked, R>(
  queue: WriteQueue,
  of: {
    /** Whether two can be written in one process. */
    fits(one: A, other: A): boolean;
    /**
     * Writes several at once, from inside the queue, and answers those that it wrote. Where it fails, each is written alone.
     * @returns the others
     */
    write(group: readonly Waiting<A, R>[]): Promise<readonly Waiting<A, R>[]>;
  },
) {
  const waiting = new Set<Waiting<A, R>>();

  /** Inside the queue. */
  async function writeNext(): Promise<void> {
    const group = takeGroup(waiting, of.fits);
    for (const one of group) waiting.delete(one);
    const left = group.length > 1 ? await writeTogether(group) : group;
    for (const { alone, done } of left) await alone().then(done.resolve, done.reject);
  }

  async function writeTogether(group: readonly Waiting<A, R>[]): Promise<readonly Waiting<A, R>[]> {
    try {
      return await of.write(group);
    } catch (error) {
      if (!isCutOff(error)) return group;
      for (const { done } of group) done.reject(error);
      return [];
    }
  }

  return function join(asked: A, alone: () => Promise<R>): Promise<R> {
    const { canWait } = asked.options;
    if (!mayJoin(asked)) return queue.exclusive(alone, canWait);
    const one: Waiting<A, R> = { ...asked, alone, done: Promise.withResolvers() };
    waiting.add(one);
    // It may have been written with an earlier one by then.
    void queue.exclusive(async () => {
      if (waiting.has(one)) await writeNext();
    }, canWait);
    return one.done.promise;
  };
}

/** Of those that fit the first, which come first for each change. */
function takeGroup<A extends Asked>(waiting: Iterable<A>, fits: (one: A, other: A) => boolean): readonly A[] {
  const taken = new Set<string>();
  const seen = new Set<string>();
  const group: A[] = [];
  for (const one of waiting) {
    const isFirst = !one.names.some((name) => seen.has(name));
    for (const name of one.names) seen.add(name);
    if (!isFirst || taken.size + one.names.length > maxTogether) continue;
    const [leader = one] = group;
    if (!fits(leader, one)) continue;
    for (const name of one.names) taken.add(name);
    group.push(one);
  }
  return group;
}

/** Of an operation that holds several: its actor, where all have the same. */
export function sharedOptions(group: readonly Asked[]): WriteOptions {
  const actors = new Set(group.map(({ options }) => options.actor));
  const [actor] = actors;
  return actors.size > 1 || actor === undefined ? {} : { actor };
}
