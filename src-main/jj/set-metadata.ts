import type { MetadataPatch } from "#shared/domain/graph-words/metadata.ts";
import { writeMetadata } from "#shared/domain/graph-words/write-trailers.ts";
import type { Change } from "#shared/graph/change.ts";
import { canDescribeTogether, describeTogether, type NewText } from "./describe-together.ts";
import { JjError } from "./errors.ts";
import type { GraphMemory } from "./graph-memory/graph-memory.ts";
import { changesNamed } from "./graph-memory/known-graph.ts";
import { onlyVisible } from "./only-visible.ts";
import type { Store } from "./op-heads.ts";
import { operationHolds, readHeads } from "./op-heads.ts";
import type { WriteOptions, Written } from "./ports/graph-writer.ts";
import type { Jj } from "./process.ts";
import type { WriteQueue } from "./queue.ts";
import type { Reader } from "./reader.ts";
import { beginUnpublished, type Unpublished } from "./unpublished.ts";

export interface SetMetadataParts {
  readonly jj: Jj;
  readonly root: string;
  readonly store: Store;
  readonly queue: WriteQueue;
  readonly reader: Reader;
  readonly memory: GraphMemory;
  readonly settle: () => Promise<string>;
  /** Whether a divergent change is one commit now. */
  readonly converge: (changeId: string, scope: string, options: WriteOptions | undefined) => Promise<boolean>;
  /** Publishes a row whole. */
  readonly publish: (row: Unpublished, options: WriteOptions | undefined) => Promise<string>;
}

const fullId = /^[k-z]{32}$/;
/** So often a patch is computed anew when somebody rewrote the change after it was read. */
const attempts = 3;

/**
 * Makes the write that patches trailers; to be called from inside the queue. The whole text is written, so it must be
 * the one that was read: where somebody rewrote the change in between, their words are read and patched again. Who
 * types faster than that is crossed, and the two texts are joined.
 */
export function createSetMetadata({
  jj,
  root,
  store,
  queue,
  reader,
  memory,
  settle,
  converge,
  publish,
}: SetMetadataParts) {
  /** @param beside writes at the operation where the texts were read, and not on top of whatever came since */
  async function describeAll(
    texts: readonly NewText[],
    operation: string,
    beside: boolean,
    options: WriteOptions | undefined,
  ): Promise<string> {
    const [only, ...others] = texts;
    if (!only) return operation;
    const describes = texts.map(({ change }) => change);
    if (others.length === 0 && !beside) {
      const done = await queue.write({
        args: ["--ignore-working-copy", "describe", "--stdin", "-r", onlyVisible(only.commit)],
        folder: root,
        options,
        input: only.text,
        describes,
      });
      return done.operation;
    }
    if (canDescribeTogether(texts) && !beside)
      return describeTogether(texts, async (args, editor) => {
        const done = await queue.write({
          args: ["--ignore-working-copy", ...args],
          folder: root,
          options,
          editor,
          describes,
        });
        return done.operation;
      });
    const row = beginUnpublished(jj, root, operation, options);
    for (const { change, text } of texts)
      await row.run(["describe", "--stdin", "-r", change], { input: text });
    return publish(row, options);
  }

  /** Whether nothing came between `operation` and the write that was computed from it. */
  async function standsOn(written: string, operation: string): Promise<boolean> {
    const heads = await readHeads(store);
    const follows = await operationHolds(store, written, Buffer.from(operation, "hex"));
    return heads.length === 1 && follows === true;
  }

  /** What each name means; many full ids are one question. */
  async function readAll(
    names: readonly string[],
    operation: string,
  ): Promise<ReadonlyMap<string, readonly Change[]>> {
    if (names.every((name) => fullId.test(name))) {
      const graph = await memory.known(operation);
      const known = graph && changesNamed(graph, names);
      if (known) return new Map(known.map((change) => [change.changeId, [change]]));
      if (names.length > 1)
        return Map.groupBy(
          await reader.query([...new Set(names)].join(" | "), { operation }),
          ({ changeId }) => changeId,
        );
    }
    const read = new Map<string, readonly Change[]>();
    for (const name of names) read.set(name, await reader.query(onlyVisible(name), { operation, limit: 2 }));
    return read;
  }

  async function patchAll(
    changes: readonly { readonly change: string; readonly patch: MetadataPatch }[],
    beside: boolean,
    options: WriteOptions | undefined,
  ): Promise<Written> {
    const operation = await settle();
    const texts: NewText[] = [];
    const read = await readAll(
      changes.map(({ change }) => change),
      operation,
    );
    for (const { change, patch } of changes) {
      const [found, ...others] = read.get(change) ?? [];
      if (!found || others.length > 0)
        throw new JjError({
          kind: found ? "divergent" : "no-such-revision",
          message: `${change} names ${found ? "several changes" : "no change"}.`,
        });
      const text = writeMetadata(found.description, patch);
      if (text !== found.description) texts.push({ commit: found.commitId, change: found.changeId, text });
    }
    if (texts.length === 0) return { operation };
    const done = await describeAll(texts, operation, beside, options);
    // Ours stands on what was read, or someone wrote in between. Then a description may have been told anew
    // at the same time, and jj keeps both as two commits of one change.
    if (await standsOn(done, operation)) return { operation: done };
    for (const { change } of texts) {
      if (await converge(change, "mutable()", options)) continue;
      throw new JjError({
        kind: "divergent",
        message: `${change} was described by someone else at the same moment, in another way.`,
      });
    }
    return { operation: await settle() };
  }

  return async function setMetadata(
    changes: readonly { readonly change: string; readonly patch: MetadataPatch }[],
    options: WriteOptions | undefined,
  ): Promise<Written> {
    for (let attempt = 1; attempt <= attempts; attempt++)
      try {
        return await patchAll(changes, false, options);
      } catch (error) {
        if (!(error instanceof JjError)) throw error;
        // What stands twice since somebody crossed an earlier write is joined first.
        if (error.kind === "divergent" && attempt === 1) {
          for (const { change } of changes)
            if (fullId.test(change)) await converge(change, "mutable()", options);
        } else if (error.kind !== "rewritten") throw error;
      }
    return patchAll(changes, true, options);
  };
}
