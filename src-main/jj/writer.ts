import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeMetadata } from "#shared/domain/trailers.ts";
import { createConverge } from "./converge.ts";
import { createdIn } from "./created.ts";
import { JjError } from "./errors.ts";
import type { Store } from "./op-heads.ts";
import { operationHolds, readHeads } from "./op-heads.ts";
import type { OwnWrites } from "./own-writes.ts";
import type { Jj } from "./process.ts";
import type { Done, QueuedWrite, WriteQueue } from "./queue.ts";
import type { Reader } from "./reader.ts";
import type { NewChange, Repository, WriteOptions, Written } from "./repository-interface.ts";
import {
  beginUnpublished,
  messageArgument,
  replacingEditor,
  type Unpublished,
  withStaging,
} from "./unpublished.ts";
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
  const convergeChange = createConverge(parts);

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

  async function describeAll(
    texts: readonly { readonly commit: string; readonly change: string; readonly text: string }[],
    options: WriteOptions | undefined,
  ): Promise<string> {
    const [only] = texts;
    const describes = texts.map(({ change }) => change);
    if (!only) return settle();
    if (texts.length === 1) {
      const done = await queue.write({
        args: [leaveFiles, "describe", "--stdin", "-r", only.commit],
        folder: root,
        options,
        input: only.text,
        describes,
      });
      return done.operation;
    }
    // jj describes several changes in one operation only through an editor, which drops its own comment lines.
    const fits = texts.every(({ text }) => !/^JJ:/m.test(text) && text.trim() !== "");
    if (fits) {
      return withStaging(async (folder) => {
        const staged = join(folder, "descriptions");
        await writeFile(
          staged,
          texts.map(({ commit, text }) => `JJ: describe ${commit.slice(0, 12)} -------\n${text}\n`).join(""),
        );
        const done = await queue.write({
          args: [leaveFiles, "describe", ...texts.flatMap(({ commit }) => ["-r", commit])],
          folder: root,
          options,
          editor: replacingEditor(staged),
          describes,
        });
        return done.operation;
      });
    }
    const row = beginUnpublished(jj, root, await settle(), options);
    for (const { commit, text } of texts)
      await row.run(["describe", "--stdin", "-r", commit], { input: text });
    return publish(row, options);
  }

  /** Whether nothing came between `operation` and the write that was computed from it. */
  async function standsOn(written: string, operation: string): Promise<boolean> {
    const heads = await readHeads(store);
    const follows = await operationHolds(store, written, Buffer.from(operation, "hex"));
    return heads.length === 1 && follows === true;
  }

  return {
    newChange: ({ parents, description, files, ...options }) =>
      make(["--", ...new Set(parents)], description, files, options, null),

    insertAfter: (base, { description, files, ...options }) =>
      make(["-A", base], description, files, options, base),

    describe: (change, description, { since, ...options } = {}) =>
      queue.exclusive(async () => {
        if (since !== undefined && (await ownWrites.mayBeDescribedSince(change, since)))
          return { operation: await settle(), described: false };
        const { operation } = await queue.write({
          args: [leaveFiles, "describe", "--stdin", "-r", change],
          folder: root,
          options,
          input: description,
          // Another name than the full id may name another change later.
          ...(fullId.test(change) ? { describes: [change] } : {}),
        });
        return { operation, described: true };
      }),

    setMetadata: (changes, options) =>
      queue.exclusive(async () => {
        const operation = await settle();
        const texts: { commit: string; change: string; text: string }[] = [];
        for (const { change, patch } of changes) {
          const [found, ...others] = await reader.query(change, { operation, limit: 2 });
          if (!found || others.length > 0)
            throw new JjError({
              kind: found ? "divergent" : "no-such-revision",
              message: `${change} names ${found ? "several changes" : "no change"}.`,
            });
          const text = writeMetadata(found.description, patch);
          if (text !== found.description)
            texts.push({ commit: found.commitId, change: found.changeId, text });
        }
        const done = await describeAll(texts, options);
        // Ours stands on what was read, or someone wrote in between. Then a description may have been told anew
        // at the same time, and jj keeps both as two commits of one change.
        if (texts.length === 0 || (await standsOn(done, operation))) return { operation: done };
        for (const { change: changeId } of texts) {
          if (await convergeChange(changeId, "mutable()", options)) continue;
          throw new JjError({
            kind: "divergent",
            message: `${changeId} was described by someone else at the same moment, in another way.`,
          });
        }
        return { operation: await settle() };
      }),

    rebase({ revisions, source, onto = [], insertAfter = [], insertBefore = [], ...options }) {
      return written(
        one(
          [
            "rebase",
            ...(revisions === undefined ? [] : ["-r", revisions]),
            ...(source === undefined ? [] : ["-s", source]),
            ...onto.flatMap((each) => ["-o", each]),
            ...insertAfter.flatMap((each) => ["-A", each]),
            ...insertBefore.flatMap((each) => ["-B", each]),
          ],
          options,
          { describes: [] },
        ),
      );
    },

    squash({ from, into, description, ...options }) {
      const message =
        description === undefined ? ["--use-destination-message"] : [messageArgument(description)];
      return written(one(["squash", "--from", from, "--into", into, ...message], options));
    },

    restore: (change, options) =>
      written(one(["restore", "--changes-in", change], options, { describes: [] })),

    abandon: (revset, options) => written(one(["abandon", "-r", revset], options)),

    setBookmark: (name, to, options) =>
      written(
        one(
          // jj parses a name as a symbol: "fix#12" is a fine branch of Git, and a syntax error without quotes.
          [
            "bookmark",
            "set",
            "-r",
            to,
            ...(options?.allowBackwards ? ["-B"] : []),
            "--",
            JSON.stringify(name),
          ],
          options,
          { describes: [] },
        ),
      ),

    deleteBookmark: (name, options) =>
      written(one(["bookmark", "delete", "--", `exact:${JSON.stringify(name)}`], options, { describes: [] })),

    revertOperation: (operation, options) => written(one(["op", "revert", operation], options)),

    converge: ({ revset = "mutable()", ...options } = {}) =>
      queue.exclusive(async () => {
        const found = await reader.query(`(${revset}) & divergent()`, { operation: await settle() });
        const remaining: string[] = [];
        // What stands on another is one again only after that: jj tells the newest first.
        for (const changeId of new Set(found.toReversed().map((change) => change.changeId)))
          if (!(await convergeChange(changeId, revset, options))) remaining.push(changeId);
        return { operation: await settle(), remaining };
      }),
  };
}
