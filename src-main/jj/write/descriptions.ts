import type { MetadataPatch } from "#shared/domain/change-metadata/metadata.ts";
import { writeMetadata } from "#shared/domain/change-metadata/write-trailers.ts";
import type { Change } from "#shared/graph/change.ts";
import type { DescribeOptions, GraphWriter, WriteOptions, Written } from "../ports/graph-writer.ts";
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
import { createRestoreDescription } from "./restore-everything.ts";
import { type Asked, createGroups, sharedOptions, type Waiting } from "./write-groups.ts";
import { convergeAccess, leaveFiles, publish, type RepositoryParts } from "./writer-parts.ts";

/** Makes the writes of descriptions. Those that wait are written in one process, where they may. */
export function createDescriptionWrites(
  parts: RepositoryParts,
): Pick<GraphWriter, "describe" | "setMetadata"> {
  const join = createGroups<AskedText, Described>(parts.queue, {
    fits: () => true,
    write: createWriteTogether(parts),
  });
  const describe = createDescribe(parts);
  const setMetadata = createSetMetadata(parts);
  return {
    describe: (change, description, options = {}) =>
      join({ kind: "text", names: [change], options, change, description }, () =>
        describe(change, description, options),
      ),

    async setMetadata(patches, options = {}) {
      const { operation } = await join(
        { kind: "patches", names: patches.map(({ change }) => change), options, patches },
        async () => ({ ...(await setMetadata(patches, options)), described: true }),
      );
      return { operation };
    },
  };
}

type Patches = readonly { readonly change: string; readonly patch: MetadataPatch }[];

type Described = Written & { readonly described: boolean };

/** A write of descriptions as it was asked for. */
type AskedText = Asked & { readonly options: DescribeOptions } & (
    | { readonly kind: "text"; readonly change: string; readonly description: string }
    | { readonly kind: "patches"; readonly patches: Patches }
  );

type WaitingText = Waiting<AskedText, Described>;

interface Ready {
  readonly one: WaitingText;
  readonly texts: readonly NewText[];
}

/**
 * Makes the write of several at once, to be called from inside the queue. It answers those that it wrote.
 * @returns the others
 */
function createWriteTogether(parts: RepositoryParts) {
  const { store, ownWrites, settle } = parts;
  const restoreDescription = createRestoreDescription(parts);

  /** The texts of one; null: it is written alone, or fails alone. */
  async function newTexts(
    one: WaitingText,
    read: ReadonlyMap<string, readonly Change[]>,
  ): Promise<readonly NewText[] | null> {
    const { since } = one.options;
    if (
      one.kind === "text" &&
      since !== undefined &&
      (await ownWrites.mayBeDescribedSince(one.change, since))
    )
      return null;
    const found = one.names.map((name) => read.get(name) ?? []);
    if (found.some((commits) => commits.length !== 1 || commits[0]?.immutable)) return null;
    const texts =
      one.kind === "patches"
        ? patchedTexts(one.patches, read)
        : found
            .flat()
            .map(({ commitId: commit, changeId: change }) => ({ commit, change, text: one.description }));
    return canDescribeTogether(texts) ? texts : null;
  }

  /** @param isCrossed somebody wrote at the same time: jj may keep two commits of a change */
  async function finish({ one, texts }: Ready, written: string, isCrossed: boolean): Promise<Described> {
    const { since, ...options } = one.options;
    if (one.kind === "patches" && isCrossed)
      return { operation: await convergeAll(parts, texts, options), described: true };
    const kept =
      one.kind === "text" && since !== undefined
        ? await restoreDescription(one.change, since, written, options)
        : null;
    return { operation: kept?.operation ?? written, described: kept === null };
  }

  async function writeAll(ready: readonly Ready[], operation: string): Promise<void> {
    const [first, ...others] = ready.flatMap(({ texts }) => texts);
    const options = sharedOptions(ready.map(({ one }) => one));
    const written = first ? await writeTexts(parts, [first, ...others], operation, options) : operation;
    const isCrossed = first !== undefined && !(await isNextTo(store, written, operation));
    for (const each of ready)
      await finish(each, written, isCrossed).then(each.one.done.resolve, each.one.done.reject);
  }

  return async function writeTogether(group: readonly WaitingText[]): Promise<readonly WaitingText[]> {
    const ready: Ready[] = [];
    const alone: WaitingText[] = [];
    const operation = await settle();
    const read = await readNamed(
      parts,
      group.flatMap(({ names }) => names),
      operation,
    );
    for (const one of group) {
      const texts = await newTexts(one, read);
      if (texts === null) alone.push(one);
      else ready.push({ one, texts });
    }
    if (ready.length < 2) return group;
    await writeAll(ready, operation);
    return alone;
  };
}

/** Retries of a patch when the change was rewritten after it was read. */
const attempts = 3;

/**
 * Creates the write that patches trailers; call it from inside the queue. It writes the whole description, so
 * it must be based on the current one: after a concurrent rewrite it is read and patched again. After the
 * last retry the two texts are merged.
 */
function createSetMetadata(parts: RepositoryParts) {
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
    return { operation: await convergeAll(parts, [first, ...others], options) };
  }

  return async function setMetadata(patches: Patches, options: WriteOptions | undefined): Promise<Written> {
    for (let attempt = 1; attempt <= attempts; attempt++)
      try {
        return await patchAll(patches, writeTexts, options);
      } catch (error) {
        if (!(error instanceof JjError)) throw error;
        // Divergence from an earlier concurrent write is repaired first.
        if (error.kind === "divergent" && attempt === 1) {
          for (const { change } of patches) if (isFullId(change)) await converge(parts, change, options);
        } else if (error.kind !== "rewritten") throw error;
      }
    return patchAll(patches, writeUnpublishedTexts, options);
  };
}

const converge = (
  parts: RepositoryParts,
  change: string,
  options: WriteOptions | undefined,
): Promise<boolean> => convergeChange(convergeAccess(parts, options), change, "mutable()");

/**
 * Inside the queue: joins what jj keeps as two commits because two described a change at the same time.
 * @returns the operation after that
 */
async function convergeAll(
  parts: RepositoryParts,
  texts: readonly NewText[],
  options: WriteOptions | undefined,
): Promise<string> {
  for (const { change } of texts) {
    if (await converge(parts, change, options)) continue;
    throw new JjError({
      kind: "divergent",
      message: `Another process changed the description of ${change} at the same time.`,
    });
  }
  return parts.settle();
}

/** Makes the write that replaces a description; call it from inside the queue. */
function createDescribe(parts: RepositoryParts) {
  const { root, queue, ownWrites, settle } = parts;
  const restoreDescription = createRestoreDescription(parts);
  return async function describe(
    change: string,
    description: string,
    { since, ...options }: DescribeOptions,
  ): Promise<Described> {
    if (since !== undefined && (await ownWrites.mayBeDescribedSince(change, since)))
      return { operation: await settle(), described: false };
    const { operation } = await queue.write({
      args: [leaveFiles, "describe", "--stdin", "-r", onlyVisible(change)],
      folder: root,
      options,
      input: description,
      // Another name than the full id may name another change later.
      ...(isFullId(change) ? { describes: [change] } : {}),
    });
    const kept = since === undefined ? null : await restoreDescription(change, since, operation, options);
    return { operation: kept?.operation ?? operation, described: kept === null };
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
