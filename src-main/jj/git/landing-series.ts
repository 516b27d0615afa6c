import type { Change } from "#shared/graph/change.ts";
import { changeNamed } from "../graph-memory/cached-graph.ts";
import type { LandingNote, LandingOrder, LandingSeries } from "../ports/git-interop.ts";
import type { Repository } from "../ports/repository-interface.ts";
import type { Reader } from "../read/reader.ts";
import {
  beginUnpublished,
  canDescribeTogether,
  createdIn,
  describeTogether,
  duplicatedIn,
  messageArgument,
  type NewText,
  type Unpublished,
} from "../read/unpublished.ts";
import { publish, type RepositoryParts } from "../write/writer-parts.ts";

/** `leftOut`: changes that stay behind. */
type Made = Pick<LandingSeries, "changeId" | "copies"> & { readonly leftOut?: ReadonlySet<string> };
type DescribeOrder = Extract<LandingOrder, { kind: "changes" }>;

/** Makes the writer of what lands. All of a series is published at once, or nothing. */
export function createLandingSeries(parts: RepositoryParts): Repository["landingSeries"] {
  const { jj, root, queue, reader, settle, notes, identity } = parts;
  return (order, options = {}) =>
    queue.exclusive(async () => {
      const row = beginUnpublished(jj, root, await settle(), options);
      const { leftOut = noChanges, ...made }: Made =
        order.kind === "changes"
          ? await describeForLanding(parts, row, order)
          : await copyForLanding(reader, row, order);
      const blocks = placeNotes(order, made, leftOut);
      const commits = await commitsOf(parts, row, [...new Set([made.changeId, ...blocks.keys()])]);
      const commitId = commits.get(made.changeId) ?? (await row.commitOf(made.changeId));
      if (blocks.size > 0)
        await notes.write(
          [...blocks].flatMap(([changeId, its]) => {
            const id = commits.get(changeId);
            return id === undefined ? [] : [{ commitId: id, landedAs: changeId, blocks: its }];
          }),
          await identity(),
        );
      return { ...made, commitId, operation: await publish(parts, row, options) };
    });
}

type CopyOrder = Extract<LandingOrder, { kind: "copies" }>;

/** Makes the preview of what lands: the same commits, from the lowest up, and nothing is published. */
export function createLandingPreview(parts: RepositoryParts): Repository["previewLanding"] {
  const { jj, root, reader, settle } = parts;
  return async (order, onto) => {
    const row = beginUnpublished(jj, root, await settle());
    if (order.kind === "copies")
      return (await copySeries(reader, row, order)).map(({ of, description }) => ({
        ...{ description, of },
      }));
    const { changeId: top } = await leaveOutForLanding(reader, row, order);
    const texts = new Map(order.descriptions.map(({ changeId, description }) => [changeId, description]));
    const landed = await reader.query(`${onto}..${top}`, { operation: row.operation() });
    return landed.toReversed().map(({ changeId, description }) => ({
      description: texts.get(changeId) ?? description,
      of: changeId,
    }));
  };
}

/** One commit of a series that lands: a copy of a commit, or of the rest of the result (`of` is null). */
interface Copy {
  readonly of: string | null;
  readonly change: string;
  readonly description: string;
}

/**
 * Creates a series of new commits on an unpublished operation, and a last one for the rest of the result. See
 * `LandingOrder`.
 */
async function copyForLanding(
  reader: Pick<Reader, "query">,
  row: Unpublished,
  order: CopyOrder,
): Promise<Pick<LandingSeries, "changeId" | "copies">> {
  const copies = await copySeries(reader, row, order);
  const rows = await rowsOf(reader, row, copies);
  await describeAll(
    row,
    copies.map(({ change, description }) => ({
      ...{ change, text: description, commit: rows.get(change)?.commitId },
    })),
  );
  return {
    changeId: copies.at(-1)?.change ?? order.result,
    copies: Object.fromEntries(copies.flatMap(({ of, change }) => (of === null ? [] : [[of, change]]))),
  };
}

/** The copies, not described yet, from the lowest up. */
async function copySeries(
  reader: Pick<Reader, "query">,
  row: Unpublished,
  { result, onto, commits, rest, keepsRest }: CopyOrder,
): Promise<readonly Copy[]> {
  let copies: Copy[] = [];
  for (const { commitId, description, whole } of commits) {
    const last = copies.at(-1)?.change ?? onto;
    const change = await (whole ? copyWhole : copyOnto)(row, last, commitId);
    copies.push({ of: commitId, change, description });
  }
  const leftOut: string[] = [];
  for (;;) {
    const rows = await rowsOf(reader, row, copies);
    const conflicted = copies.find(({ change }) => rows.get(change)?.conflict);
    if (conflicted === undefined) break;
    // What stands above it is rebased, and may be free of the conflict then.
    await row.run(["abandon", "-r", conflicted.change]);
    if (conflicted.of !== null) leftOut.push(conflicted.of);
    copies = copies.filter((copy) => copy !== conflicted);
  }
  const end = await copyWhole(row, copies.at(-1)?.change ?? onto, result);
  copies.push({ of: null, change: end, description: rest(leftOut) });
  const empty = await emptyAmong(reader, row, copies);
  const dropped = copies.filter(
    ({ of, change }) => empty.has(change) && (of !== null || !(keepsRest || empty.size === copies.length)),
  );
  if (dropped.length > 0) await row.run(["abandon", ...dropped.flatMap(({ change }) => ["-r", change])]);
  return copies.filter((copy) => !dropped.includes(copy));
}

async function rowsOf(reader: Pick<Reader, "query">, row: Unpublished, copies: readonly Copy[]) {
  if (copies.length === 0) return new Map<string, Change>();
  const changes = copies.map(({ change }) => change);
  const found = await reader.query(changesIn(changes), { operation: row.operation() });
  return new Map(found.map((one) => [one.changeId, one]));
}

async function emptyAmong(
  reader: Pick<Reader, "query">,
  row: Unpublished,
  copies: readonly Copy[],
): Promise<ReadonlySet<string>> {
  const revset = `${changesIn(copies.map(({ change }) => change))} & empty()`;
  const found = await reader.query(revset, { operation: row.operation() });
  return new Set(found.map(({ changeId }) => changeId));
}

/** A copy that holds all that its commit holds. @returns its change id */
async function copyWhole(row: Unpublished, onto: string, commit: string): Promise<string> {
  const { changeId } = createdIn(await row.run(["new", "--no-edit", messageArgument(""), "--", onto]));
  await row.run(["restore", "--from", commit, "--into", changeId]);
  return changeId;
}

/** A copy that changes what its commit changed. @returns its change id */
const copyOnto = async (row: Unpublished, onto: string, commit: string): Promise<string> =>
  duplicatedIn(await row.run(["duplicate", "-o", onto, "--", commit])).changeId;

const noChanges: ReadonlySet<string> = new Set();

/** The blocks of each change that lands: its own, and those of what it lands for. */
function placeNotes(
  { kind, notes = [] }: LandingOrder,
  { changeId, copies }: Pick<LandingSeries, "changeId" | "copies">,
  leftOut: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const placed = new Map<string, string[]>();
  const others: { readonly at: string; readonly block: string }[] = [];
  notes.forEach(({ of, block }, index) => {
    const own = kind === "copies" ? copies[of] : leftOut.has(of) ? undefined : of;
    if (own !== undefined) placed.set(own, [...(placed.get(own) ?? []), block]);
    else
      others.push({ at: kind === "copies" ? changeId : nextLanded(notes, index, leftOut, changeId), block });
  });
  for (const { at, block } of others) placed.set(at, [...(placed.get(at) ?? []), block]);
  return placed;
}

/** The change above one that is left out, or the last one. */
const nextLanded = (
  notes: readonly LandingNote[],
  index: number,
  leftOut: ReadonlySet<string>,
  last: string,
): string => notes.slice(index + 1).find(({ of }) => !leftOut.has(of))?.of ?? last;

/** Commits at the end of the row, by change. */
async function commitsOf(
  { memory, reader }: RepositoryParts,
  row: Unpublished,
  changes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const [only = "", ...more] = changes;
  const known = more.length === 0 ? await memory.unpublishedCommit(row.operation(), only) : null;
  if (known !== null) return new Map([[only, known]]);
  const found = await reader.query(changesIn(changes), { operation: row.operation() });
  return new Map(found.map(({ changeId, commitId }) => [changeId, commitId]));
}

/** The expression for changes by their full ids. */
const changesIn = (changeIds: readonly string[]): string =>
  `(${changeIds.map((id) => `change_id(${id})`).join(" | ")})`;

/**
 * Rebases the children of empty changes onto their parents. The empty ones stay on the graph but do not land.
 * If none has files, all land.
 * @returns the changes that do not land
 */
async function leaveOutEmpty(
  reader: Pick<Reader, "query">,
  row: Unpublished,
  result: string,
  dispensable: readonly string[],
): Promise<ReadonlySet<string>> {
  const leftOut = new Set<string>();
  if (dispensable.length === 0) return leftOut;
  const among = `(::${result} & ${changesIn(dispensable)})`;
  const query = (revset: string) => reader.query(revset, { operation: row.operation() });
  const kept = (await query(`${among} ~ empty()`)).length === 0 ? [result] : [];
  const merges = `${among} & merges()`;
  for (;;) {
    const apart = [...kept, ...leftOut];
    const [next] = await query(
      `heads(${among} & empty() ~ merges()${apart.length === 0 ? "" : ` ~ ${changesIn(apart)}`})`,
    );
    if (!next) return leftOut;
    leftOut.add(next.changeId);
    const above = async () => (await query(`${next.commitId}+ & ::${result}`))[0];
    // One after another: a child that has both the change and another child as parents moves with that one.
    for (let child = await above(); child; child = await above()) {
      const onto = child.parents.flatMap((parent) => (parent === next.commitId ? next.parents : [parent]));
      await row.run(["rebase", "-s", child.changeId, ...[...new Set(onto)].flatMap((one) => ["-o", one])]);
      if ((await query(merges)).length > 0) await row.run(["simplify-parents", "-r", merges]);
    }
  }
}

/** The very changes with other descriptions, without those that have no files and need not land. */
async function describeForLanding(
  { reader, memory }: RepositoryParts,
  row: Unpublished,
  order: DescribeOrder,
): Promise<Made> {
  const { changeId, leftOut } = await leaveOutForLanding(reader, row, order);
  const texts = order.descriptions.filter((one) => !leftOut.has(one.changeId));
  const graph = await memory.unpublished(row.operation());
  await describeAll(
    row,
    texts.map((one) => ({
      change: one.changeId,
      text: one.description,
      commit: (graph && changeNamed(graph, one.changeId)?.commitId) ?? undefined,
    })),
  );
  return { changeId, copies: {}, leftOut };
}

/** The change to land, and those that stay behind. */
async function leaveOutForLanding(
  reader: Pick<Reader, "query">,
  row: Unpublished,
  { result, dispensable }: DescribeOrder,
): Promise<{ readonly changeId: string; readonly leftOut: ReadonlySet<string> }> {
  const leftOut = await leaveOutEmpty(reader, row, result, dispensable);
  if (!leftOut.has(result)) return { changeId: result, leftOut };
  const [landed] = await reader.query(`heads(::${result} ~ ${changesIn([...leftOut])})`, {
    operation: row.operation(),
  });
  return { changeId: landed?.changeId ?? result, leftOut };
}

/** Describes changes, with one process where their commits are known. */
async function describeAll(
  row: Unpublished,
  texts: readonly (Omit<NewText, "commit"> & { readonly commit: string | undefined })[],
): Promise<void> {
  const known = texts.flatMap((one): readonly NewText[] =>
    one.commit === undefined ? [] : [{ ...one, commit: one.commit }],
  );
  if (known.length > 1 && known.length === texts.length && canDescribeTogether(known))
    await describeTogether(known, (args, editor) => row.run(args, { editor }));
  else
    for (const { change, text } of texts)
      await row.run(["describe", "--stdin", "-r", change], { input: text });
}
