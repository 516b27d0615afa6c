import type { Change } from "#shared/graph/change.ts";
import { type ConvergeAccess, convergeChange, crossedByHox } from "./converge.ts";
import { createdIn } from "./created.ts";
import { JjError } from "./errors.ts";
import { isHeldByGit } from "./git-checkout.ts";
import { createKeepWords } from "./keep-words.ts";
import type { Store } from "./op-heads.ts";
import type { OwnWrites } from "./own-writes.ts";
import type { Jj } from "./process.ts";
import type { Done, QueuedWrite, WriteQueue } from "./queue.ts";
import type { Reader } from "./reader.ts";
import { pinned } from "./reader.ts";
import type { NewChange, Repository, WriteOptions, Written } from "./repository-interface.ts";
import { createSetMetadata } from "./set-metadata.ts";
import { standing } from "./standing.ts";
import { filesToTakeBack } from "./take-back.ts";
import { beginUnpublished, messageArgument, type Unpublished } from "./unpublished.ts";
import { bringUpToDate } from "./update-stale.ts";

/** The writing half of a repository, except workspaces. Every call goes through the one queue. */
export type Writer = Pick<
  Repository,
  | "newChange"
  | "insertAfter"
  | "describe"
  | "setMetadata"
  | "rebase"
  | "squash"
  | "restore"
  | "abandon"
  | "setBookmark"
  | "deleteBookmark"
  | "revertOperation"
  | "converge"
>;

export interface WriterParts {
  readonly jj: Jj;
  readonly root: string;
  readonly store: Store;
  readonly queue: WriteQueue;
  readonly ownWrites: OwnWrites;
  readonly reader: Reader;
  /** The one current operation, reconciled if need be; to be called from inside the queue. */
  readonly settle: () => Promise<string>;
}

// Writes that move no file of the opened workspace leave it alone: no snapshot of half-typed work, and quick.
const leaveFiles = "--ignore-working-copy";
const fullId = /^[k-z]{32}$/;

/** Makes the writing half. */
export function createWriter(parts: WriterParts): Writer {
  const { jj, root, store, queue, ownWrites, reader, settle } = parts;
  const keepWords = createKeepWords(parts);
  const access = (options: WriteOptions | undefined): ConvergeAccess => ({
    read: async (args) => {
      const { stdout } = await jj.run({ args: [...pinned(root, await settle()), ...args], cwd: root });
      return stdout;
    },
    write: (args, input) =>
      queue.write({ args, folder: root, options, ...(input === undefined ? {} : { input }) }),
  });
  /** Inside the queue: whether a change is one commit now. */
  const converge = (changeId: string, scope: string, options: WriteOptions | undefined): Promise<boolean> =>
    convergeChange(access(options), changeId, scope);

  /** Commits of divergent changes that Hox had no part in. Commits never change. */
  const peoples = new Set<string>();
  async function isOurs(commits: readonly Change[]): Promise<boolean> {
    if (commits.some(({ metadata }) => metadata.run !== undefined || metadata.kind !== undefined))
      return true;
    const ids = commits.map(({ commitId }) => commitId).join();
    if (peoples.has(ids)) return false;
    const ours = await crossedByHox(access({}), commits);
    if (!ours) peoples.add(ids);
    return ours;
  }

  const one = (
    args: readonly string[],
    options?: WriteOptions,
    more: Pick<QueuedWrite, "describes"> = {},
  ): Promise<Done> => queue.exclusive(() => queue.write({ args, folder: root, options, ...more }));

  const written = async (done: Promise<Done>): Promise<Written> => ({ operation: (await done).operation });

  /** Publishes a row whole; what others did meanwhile is merged in as for any two commands at once. */
  async function publish(row: Unpublished, options: WriteOptions | undefined): Promise<string> {
    const done = await queue.write({
      args: [leaveFiles, "op", "integrate", row.operation()],
      folder: root,
      options,
    });
    await settle();
    return done.operation;
  }

  async function make(
    place: readonly string[],
    description: string,
    files: NewChange["files"],
    options: WriteOptions,
    rewrites: string | null,
  ) {
    return queue.exclusive(async () => {
      const hasFiles = files !== undefined && Object.keys(files).length > 0;
      // One argument holds 128 KiB on Linux; a longer description goes in by standard input.
      const long = Buffer.byteLength(description) > 100_000;
      if (!hasFiles && !long) {
        const done = await queue.write({
          args: [
            "new",
            "--no-edit",
            ...(rewrites === null ? [leaveFiles] : []),
            messageArgument(description),
            ...place,
          ],
          folder: root,
          options,
          describes: [],
        });
        return { operation: done.operation, ...createdIn(done) };
      }
      const before = await settle();
      // Record what a person has open before its ground moves; where it does not move, leave their files alone.
      const opened =
        rewrites !== null &&
        // Where Git holds the folder its files stay as they are, whatever jj thinks of them.
        !isHeldByGit(root) &&
        (await reader.query(`@ & descendants(${rewrites})`, { operation: before, limit: 1 })).length > 0;
      if (opened) await queue.write({ args: ["util", "snapshot"], folder: root, options });
      const row = beginUnpublished(jj, root, opened ? await settle() : before, options);
      const { changeId } = createdIn(
        await row.run(["new", "--no-edit", messageArgument(long ? "" : description), ...place]),
      );
      if (long) await row.run(["describe", "--stdin", "-r", changeId], { input: description });
      await row.writeFiles(changeId, files ?? {});
      const commitId = await row.commitOf(changeId);
      const operation = await publish(row, options);
      if (opened)
        await bringUpToDate(jj, root, options).catch((error: unknown) => {
          // The change stands. Two people who rewrote the open commit at the same moment have two of it, which is
          // theirs to settle; jj shows them both.
          if (!(error instanceof JjError) || error.kind !== "divergent") throw error;
        });
      return { operation, changeId, commitId };
    });
  }

  const setMetadata = createSetMetadata({ ...parts, converge, publish });

  return {
    newChange: ({ parents, description, files, ...options }) =>
      make(["--", ...new Set(parents.map(standing))], description, files, options, null),

    insertAfter: (base, { description, files, ...options }) =>
      make(["-A", standing(base)], description, files, options, standing(base)),

    describe: (change, description, { since, ...options } = {}) =>
      queue.exclusive(async () => {
        if (since !== undefined && (await ownWrites.mayBeDescribedSince(change, since)))
          return { operation: await settle(), described: false };
        const { operation } = await queue.write({
          args: [leaveFiles, "describe", "--stdin", "-r", standing(change)],
          folder: root,
          options,
          input: description,
          // Another name than the full id may name another change later.
          ...(fullId.test(change) ? { describes: [change] } : {}),
        });
        const kept = since === undefined ? null : await keepWords(change, since, operation, options);
        return { operation: kept?.operation ?? operation, described: kept === null };
      }),

    setMetadata: (changes, options) => queue.exclusive(() => setMetadata(changes, options)),

    rebase({ revisions, source, onto = [], insertAfter = [], insertBefore = [], ...options }) {
      return written(
        one(
          [
            "rebase",
            ...(revisions === undefined ? [] : ["-r", standing(revisions)]),
            ...(source === undefined ? [] : ["-s", standing(source)]),
            ...onto.flatMap((each) => ["-o", standing(each)]),
            ...insertAfter.flatMap((each) => ["-A", standing(each)]),
            ...insertBefore.flatMap((each) => ["-B", standing(each)]),
          ],
          options,
          { describes: [] },
        ),
      );
    },

    squash({ from, into, description, ...options }) {
      const message =
        description === undefined ? ["--use-destination-message"] : [messageArgument(description)];
      return written(
        one(["squash", "--from", standing(from), "--into", standing(into), ...message], options),
      );
    },

    restore: (change, options) =>
      written(one(["restore", "--changes-in", standing(change)], options, { describes: [] })),

    abandon: (revset, options) => written(one(["abandon", "-r", standing(revset)], options)),

    setBookmark: (name, to, options) =>
      written(
        one(
          // jj parses a name as a symbol: "fix#12" is a fine branch of Git, and a syntax error without quotes.
          [
            "bookmark",
            "set",
            "-r",
            standing(to),
            ...(options?.allowBackwards ? ["-B"] : []),
            "--",
            JSON.stringify(name),
          ],
          options,
          { describes: [] },
        ),
      ),

    deleteBookmark: (name, options) =>
      written(
        one(
          [
            ...["bookmark", "delete", "--"],
            ...(typeof name === "string" ? [name] : name).map((each) => `exact:${JSON.stringify(each)}`),
          ],
          options,
          { describes: [] },
        ),
      ),

    revertOperation: (operation, options) =>
      queue.exclusive(async () => {
        const files = await filesToTakeBack(
          reader,
          store,
          await settle(),
          operation,
          async (one, other) =>
            (await access(options).read(["diff", "--summary", "--from", one, "--to", other])) === "",
        );
        const args =
          files === null
            ? ["op", "revert", operation]
            : ["restore", "--from", files.from, "--into", standing(files.into)];
        return { operation: (await queue.write({ args, folder: root, options })).operation };
      }),

    async converge({ revset = "mutable()", crossed = false, ...options } = {}) {
      const divergent = (of: string) =>
        queue.exclusive(async () => reader.query(of, { operation: await settle() }));
      const found = await divergent(`(${revset}) & divergent()`);
      const remaining: string[] = [];
      // What stands on another is one again only after that: jj tells the newest first. Each is a turn of its own, or
      // every other write would wait for all of them.
      for (const changeId of new Set(found.map((change) => change.changeId).toReversed()))
        await queue.exclusive(async () => {
          const operation = await settle();
          const commits = await reader.query(`(${revset}) & change_id(${changeId}) & divergent()`, {
            operation,
          });
          if (commits.length === 0 || (crossed && !(await isOurs(commits)))) return;
          if (!(await converge(changeId, revset, options))) remaining.push(changeId);
        });
      return { operation: await queue.exclusive(settle), remaining };
    },
  };
}
