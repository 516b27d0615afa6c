import { changeNamed } from "../graph-memory/cached-graph.ts";
import type { GraphMemory } from "../graph-memory/graph-memory.ts";
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

/**
 * Creates a series of new commits on an unpublished operation, and a last one for the rest of the result. See
 * `LandingOrder`.
 */
async function copyForLanding(
  reader: Pick<Reader, "query">,
  row: Unpublished,
  { result, onto, commits, rest, keepsRest }: CopyOrder,
): Promise<Pick<LandingSeries, "changeId" | "copies">> {
  const copies: Record<string, string> = {};
  const leftOut: string[] = [];
  let last = onto;
  for (const commit of commits) {
    const { commitId, description } = commit;
    const made = commit.whole
      ? await copyWhole(row, last, commitId, description)
      : await copyOnto(row, last, commitId, description);
    const isConflict = (await rowAt(reader, row, made))?.conflict === true;
    if (isConflict) leftOut.push(commitId);
    if (isConflict || (await isEmpty(reader, row, made))) {
      await row.run(["abandon", "-r", made]);
      continue;
    }
    copies[commitId] = made;
    last = made;
  }
  const end = await copyWhole(row, last, result, rest(leftOut));
  if (last === onto || keepsRest || !(await isEmpty(reader, row, end))) return { changeId: end, copies };
  await row.run(["abandon", "-r", end]);
  return { changeId: last, copies };
}

const rowAt = async (reader: Pick<Reader, "query">, row: Unpublished, revset: string) =>
  (await reader.query(revset, { operation: row.operation(), limit: 1 }))[0];

const isEmpty = async (reader: Pick<Reader, "query">, row: Unpublished, change: string): Promise<boolean> =>
  (await rowAt(reader, row, `${change} & empty()`)) !== undefined;

/** A copy that holds all that its commit holds. @returns its change id */
async function copyWhole(
  row: Unpublished,
  onto: string,
  commit: string,
  description: string,
): Promise<string> {
  const { changeId } = createdIn(
    await row.run(["new", "--no-edit", messageArgument(description.split("\n")[0] ?? ""), "--", onto]),
  );
  await row.run(["restore", "--from", commit, "--into", changeId]);
  await describe(row, changeId, description);
  return changeId;
}

/** A copy that changes what its commit changed. @returns its change id */
async function copyOnto(
  row: Unpublished,
  onto: string,
  commit: string,
  description: string,
): Promise<string> {
  const result = await row.run(["duplicate", "-o", onto, "--", commit]);
  const { changeId } = duplicatedIn(result);
  await describe(row, changeId, description);
  return changeId;
}

const describe = (row: Unpublished, change: string, description: string) =>
  row.run(["describe", "--stdin", "-r", change], { input: description });

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
  { result, dispensable, descriptions }: DescribeOrder,
): Promise<Made> {
  const leftOut = await leaveOutEmpty(reader, row, result, dispensable);
  await describeAll(
    memory,
    row,
    descriptions.filter(({ changeId }) => !leftOut.has(changeId)),
  );
  if (!leftOut.has(result)) return { changeId: result, copies: {}, leftOut };
  const [landed] = await reader.query(`heads(::${result} ~ ${changesIn([...leftOut])})`, {
    operation: row.operation(),
  });
  return { changeId: landed?.changeId ?? result, copies: {}, leftOut };
}

async function describeAll(
  memory: GraphMemory,
  row: Unpublished,
  descriptions: DescribeOrder["descriptions"],
): Promise<void> {
  const texts = await cachedTexts(memory, row, descriptions);
  if (texts.length > 1 && texts.length === descriptions.length && canDescribeTogether(texts))
    await describeTogether(texts, (args, editor) => row.run(args, { editor }));
  else
    for (const { changeId, description } of descriptions)
      await row.run(["describe", "--stdin", "-r", changeId], { input: description });
}

/** Those of them whose commits are known without a process. */
async function cachedTexts(
  memory: GraphMemory,
  row: Unpublished,
  descriptions: DescribeOrder["descriptions"],
): Promise<readonly NewText[]> {
  const graph = await memory.unpublished(row.operation());
  return descriptions.flatMap(({ changeId, description }): readonly NewText[] => {
    const commit = graph && changeNamed(graph, changeId)?.commitId;
    return commit ? [{ commit, change: changeId, text: description }] : [];
  });
}
