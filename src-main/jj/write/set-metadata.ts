import type { MetadataPatch } from "#shared/domain/change-metadata/metadata.ts";
import { writeMetadata } from "#shared/domain/change-metadata/write-trailers.ts";
import type { Change } from "#shared/graph/change.ts";
import type { WriteOptions, Written } from "../ports/graph-writer.ts";
import { JjError } from "../process/errors.ts";
import { onlyVisible } from "../process/only-visible.ts";
import type { Store } from "../process/op-heads.ts";
import { operationContains, readHeads } from "../process/op-heads.ts";
import { isFullId, readNamed } from "../read/read-named.ts";
import {
  beginUnpublished,
  canDescribeTogether,
  describeTogether,
  type NewText,
} from "../read/unpublished.ts";
import { convergeChange } from "./converge.ts";
import { convergeAccess, leaveFiles, publish, type RepositoryParts } from "./writer-parts.ts";

type Patches = readonly { readonly change: string; readonly patch: MetadataPatch }[];

/** Retries of a patch when the change was rewritten after it was read. */
const attempts = 3;

/**
 * Creates the write that patches trailers; call it from inside the queue. It writes the whole description, so
 * it must be based on the current one: after a concurrent rewrite it is read and patched again. After the
 * last retry the two texts are merged.
 */
export function createSetMetadata(parts: RepositoryParts) {
  const converge = (change: string, options: WriteOptions | undefined): Promise<boolean> =>
    convergeChange(convergeAccess(parts, options), change, "mutable()");

  async function patchAll(
    patches: Patches,
    write: typeof writeTexts,
    options: WriteOptions | undefined,
  ): Promise<Written> {
    const operation = await parts.settle();
    const names = patches.map(({ change }) => change);
    const [first, ...others] = patchedTexts(patches, await readNamed(parts, names, operation));
    if (!first) return { operation };
    const done = await write(parts, [first, ...others], operation, options);
    // Without a concurrent write we are done. Otherwise the description may have changed at the same time,
    // and jj keeps both as two commits of one change.
    if (await isNextTo(parts.store, done, operation)) return { operation: done };
    for (const { change } of [first, ...others]) {
      if (await converge(change, options)) continue;
      throw new JjError({
        kind: "divergent",
        message: `Another process changed the description of ${change} at the same time.`,
      });
    }
    return { operation: await parts.settle() };
  }

  return async function setMetadata(patches: Patches, options: WriteOptions | undefined): Promise<Written> {
    for (let attempt = 1; attempt <= attempts; attempt++)
      try {
        return await patchAll(patches, writeTexts, options);
      } catch (error) {
        if (!(error instanceof JjError)) throw error;
        // Divergence from an earlier concurrent write is repaired first.
        if (error.kind === "divergent" && attempt === 1) {
          for (const { change } of patches) if (isFullId(change)) await converge(change, options);
        } else if (error.kind !== "rewritten") throw error;
      }
    return patchAll(patches, writeUnpublishedTexts, options);
  };
}

/**
 * Describes changes in as few operations as jj allows, on the current state; call it from inside the queue.
 * @returns the operation with all of them
 * @throws JjError `rewritten` if one of the commits is hidden by now
 */
async function writeTexts(
  parts: RepositoryParts,
  texts: readonly [NewText, ...NewText[]],
  operation: string,
  options: WriteOptions | undefined,
): Promise<string> {
  const { root, queue } = parts;
  const writeOptions = { folder: root, options, describes: texts.map(({ change }) => change) };
  const [{ commit, text }, ...others] = texts;
  if (others.length === 0) {
    const args = [leaveFiles, "describe", "--stdin", "-r", onlyVisible(commit)];
    return (await queue.write({ ...writeOptions, args, input: text })).operation;
  }
  if (!canDescribeTogether(texts)) return writeUnpublishedTexts(parts, texts, operation, options);
  return describeTogether(texts, async (args, editor) => {
    const done = await queue.write({ ...writeOptions, args: [leaveFiles, ...args], editor });
    return done.operation;
  });
}

/** The same at the operation where the changes were read, and not on top of what came since: jj merges the two. */
async function writeUnpublishedTexts(
  parts: RepositoryParts,
  texts: readonly NewText[],
  operation: string,
  options: WriteOptions | undefined,
): Promise<string> {
  const row = beginUnpublished(parts.jj, parts.root, operation, options);
  for (const { change, text } of texts) await row.run(["describe", "--stdin", "-r", change], { input: text });
  return publish(parts, row, options);
}

/**
 * The texts that patches make of descriptions; none where a patch changes nothing.
 * @throws JjError `no-such-revision`, `divergent` where a name does not mean one change
 */
function patchedTexts(patches: Patches, read: ReadonlyMap<string, readonly Change[]>): readonly NewText[] {
  return patches.flatMap(({ change, patch }): readonly NewText[] => {
    const [found, ...others] = read.get(change) ?? [];
    if (!found || others.length > 0)
      throw new JjError({
        kind: found ? "divergent" : "no-such-revision",
        message: `${change} matches ${found ? "several changes" : "no change"}.`,
      });
    const text = writeMetadata(found.description, patch);
    if (text === found.description) return [];
    return [{ commit: found.commitId, change: found.changeId, text }];
  });
}

/** Whether nothing came between an operation and the write that was computed from it. */
async function isNextTo(store: Store, written: string, operation: string): Promise<boolean> {
  const heads = await readHeads(store);
  const follows = await operationContains(store, written, Buffer.from(operation, "hex"));
  return heads.length === 1 && follows === true;
}
