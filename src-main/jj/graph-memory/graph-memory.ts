import { createHash } from "node:crypto";
import { join } from "node:path";
import { homeWorkspaceName } from "#shared/domain/change-metadata/address.ts";
import type { Change, GraphDelta, Refs } from "#shared/graph/change.ts";
import { readBoundedBytes } from "../../disk/repository-files.ts";
import { findOperation, type Store } from "../process/op-heads.ts";
import { ofRuns } from "../read/read-access.ts";
import { type CachedGraph, changeNamed, changesOnRuns, withDivergence } from "./cached-graph.ts";
import { type CommitStore, isRootCommit } from "./commit-store.ts";
import type { OwnWrites } from "./own-writes.ts";

/**
 * Remembers the changes of runs at the newest operation, so that all who read them at that operation share one process.
 * What only this process wrote since is read from jj's own files: the view of the operation, and the commits that it
 * made. Whatever others wrote is read with jj, and so is all that the files leave open.
 */
export interface GraphMemory {
  /** The changes of runs at an operation; null where they cannot be known whole. */
  at(operation: string): Promise<CachedGraph | null>;
  /** The same where it takes no process; null where it would. */
  known(operation: string): Promise<CachedGraph | null>;
  /** The same at an unpublished operation on top of a cached one; null if that is not cached. */
  unpublished(operation: string): Promise<CachedGraph | null>;
  /** The one visible commit of a change at such an operation; null where it takes a process to know. */
  unpublishedCommit(operation: string, changeId: string): Promise<string | null>;
  /** What differs between two operations that were published; null where jj has to say it. */
  delta(from: string, to: string): Promise<GraphDelta | null>;
  /** An operation's bookmarks, workspaces and heads; undefined if its file is not readable. */
  view(operation: string): Promise<View | undefined>;
}

/** What an operation says of the graph. */
interface View {
  /** Commits without visible children. */
  readonly heads: readonly string[];
  readonly refs: Refs;
  /** Equal for two operations with the same tags and remote bookmarks: jj counts commits below those as immutable. */
  readonly published: string;
}

/** Numbers of the fields in `simple_op_store.proto`, which jj 0.44 to 0.46 write alike. */
const viewFields = { head: 1, bookmark: 5, legacyTag: 6, workspace: 8, remote: 11, tag: 13 } as const;
const targetFields = { terms: 3, added: 2, commit: 1 } as const;
const idBytes = 64;
/** Some 100 bytes for each head and bookmark. */
const maxViewBytes = 64_000_000;

/**
 * Reads the view of an operation from its file: no process, and no more than jj itself reads first.
 * @returns undefined where the store looks different
 */
async function readView(store: Store, operation: string): Promise<View | undefined> {
  try {
    const folder = join(store.folder, "op_store");
    const header = readBoundedBytes(join(folder, "operations", operation), maxViewBytes) ?? Buffer.alloc(0);
    if (header[0] !== 0x0a || header[1] !== idBytes) return undefined;
    const view = header.toString("hex", 2, 2 + idBytes);
    return parseView(readBoundedBytes(join(folder, "views", view), maxViewBytes) ?? Buffer.alloc(0));
  } catch {
    // Another kind of store or a newer format: the caller falls back to jj, which reports errors.
    return undefined;
  }
}

/** @throws RangeError when the bytes are no such message */
export function parseView(bytes: Buffer): View {
  const heads: string[] = [];
  const bookmarks: Record<string, readonly string[]> = {};
  const workspaces: Record<string, string> = {};
  const published = createHash("sha256");
  for (const { field, bytes: value } of fieldsOf(bytes)) {
    if (field === viewFields.head) heads.push(value.toString("hex"));
    else if (field === viewFields.bookmark) {
      const { name, targets, remotes } = readBookmark(value);
      if (targets.length > 0) bookmarks[name] = targets;
      for (const remote of remotes) published.update(name).update("\0").update(remote);
    } else if (field === viewFields.workspace) {
      const [name, commit] = readPair(value);
      if (name !== homeWorkspaceName) workspaces[name] = commit.toString("hex");
    } else if (field === viewFields.tag || field === viewFields.legacyTag) published.update(value);
    else if (field === viewFields.remote && !isGitItself(value)) published.update(value);
  }
  return { heads, refs: { bookmarks, workspaces }, published: published.digest("hex") };
}

/** One length-delimited field of a message. Numbers and the like are passed over: nothing that is read here is one. */
interface Field {
  readonly field: number;
  readonly bytes: Buffer;
}

const wire = { number: 0, eight: 1, bytes: 2, four: 5 } as const;

/**
 * The fields of a protobuf message that hold bytes, texts or messages, in order.
 * @throws RangeError if it is not such a message
 */
function fieldsOf(message: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const group = message.readUInt8(at++);
      value += (group & 0x7f) * factor;
      if (group < 0x80) return value;
    }
  };
  while (at < message.length) {
    const key = number();
    const kind = key % 8;
    if (kind === wire.number) number();
    else if (kind === wire.eight) at += 8;
    else if (kind === wire.four) at += 4;
    else if (kind === wire.bytes) {
      const length = number();
      if (at + length > message.length) throw new RangeError("A field is longer than its message.");
      fields.push({ field: Math.floor(key / 8), bytes: message.subarray(at, at + length) });
      at += length;
    } else throw new RangeError(`A field is of the unknown kind ${kind}.`);
  }
  return fields;
}

/** A text field. */
const textOf = (bytes: Buffer): string => bytes.toString("utf8");

function readPair(bytes: Buffer): readonly [string, Buffer] {
  let name = "";
  let value: Buffer = Buffer.alloc(0);
  for (const part of fieldsOf(bytes))
    if (part.field === 1) name = textOf(part.bytes);
    else if (part.field === 2) value = part.bytes;
  return [name, value];
}

/** jj's name for the colocated Git repository as a remote: being in it does not mean published. */
const isGitItself = (remote: Buffer): boolean => readPair(remote)[0] === "git";

function readBookmark(bytes: Buffer) {
  let name = "";
  let targets: readonly string[] = [];
  const remotes: Buffer[] = [];
  for (const part of fieldsOf(bytes)) {
    if (part.field === 1) name = textOf(part.bytes);
    else if (part.field === 2) targets = targetsIn(part.bytes);
    else if (part.field === 3 && !isGitItself(part.bytes)) remotes.push(part.bytes);
  }
  return { name, targets, remotes };
}

/**
 * The commits that a name points at: several when it is conflicted. jj writes each target as what was added to what was
 * removed, also one that is whole; a name that is gone adds nothing.
 */
const targetsIn = (target: Buffer): readonly string[] =>
  messagesIn([target], targetFields.terms)
    .flatMap((terms) => messagesIn([terms], targetFields.added))
    .flatMap((term) => messagesIn([term], targetFields.commit))
    .map((commit) => commit.toString("hex"));

const messagesIn = (messages: readonly Buffer[], field: number): readonly Buffer[] =>
  messages.flatMap((message) =>
    fieldsOf(message).flatMap((part) => (part.field === field ? [part.bytes] : [])),
  );

export interface GraphMemoryParts {
  readonly store: Store;
  readonly ownWrites: OwnWrites;
  readonly commits: CommitStore;
  /** Reads rows with jj. */
  readonly read: (revset: string, operation: string, limit: number) => Promise<readonly Change[]>;
}

/** More than any run has; beyond it jj is called each time. */
const maxChanges = 5_000;
/** Commits that one operation of ours may have made. */
const maxNewCommits = 1_000;
/** Readers that were pinned a moment ago find their graph again, and who follows the graph what it has last seen. */
const graphsKept = 16;
const viewsKept = 64;

/** Commits between new heads and cached ones; null if one of them is not a loose object. */
async function readWritten(
  commits: CommitStore,
  from: CachedGraph,
  to: View,
): Promise<ReadonlyMap<string, Change> | null> {
  const old = new Set(from.heads);
  const written = new Map<string, Change>();
  const open = to.heads.filter((head) => !old.has(head));
  for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
    const isKnown = isRootCommit(commit) || from.rows.has(commit) || from.below.has(commit);
    if (isKnown || written.has(commit)) continue;
    if (written.size === maxNewCommits) return null;
    const object = await commits.read(commit);
    if (!object) return null;
    written.set(commit, object.change);
    open.push(...object.change.parents.filter((parent) => !old.has(parent)));
  }
  return written;
}

/** Makes what computes a graph from one that is known, by our own writes alone. */
function createFollowing(
  { ownWrites, commits }: Pick<GraphMemoryParts, "ownWrites" | "commits">,
  view: GraphMemory["view"],
) {
  /** Whether our own writes alone lead from a graph to an operation, and none of them can have made anything immutable. */
  async function canFollow(from: CachedGraph, operation: string, to: View): Promise<boolean> {
    // Which of two versions of a change goes, jj knows best.
    if ([...from.rows.values()].some(({ divergent }) => divergent)) return false;
    if (to.published !== from.published || movesNames(from, to)) return false;
    return ownWrites.onlyOwnBetween(from.operation, operation);
  }

  /** What a graph has become by our own writes; null where their files do not say it. */
  async function follow(from: CachedGraph, operation: string): Promise<CachedGraph | null> {
    const seen = await view(operation);
    if (!seen || !(await canFollow(from, operation, seen))) return null;
    const written = await readWritten(commits, from, seen);
    if (!written) return null;
    const changes = changesOnRuns(seen.heads, (commit) => from.rows.get(commit) ?? written.get(commit));
    const rows = byId(withDivergence(changes));
    // What they stand on is read with jj, which knows whether it is immutable.
    const standsOn = new Set(changes.flatMap(({ parents }) => parents));
    if ([...standsOn].some((commit) => written.has(commit) && !rows.has(commit))) return null;
    // What nothing stands on any more may be rewritten unseen.
    const below = new Map([...from.below].filter(([commit]) => standsOn.has(commit)));
    return { operation, ...seen, rows, below };
  }

  return { canFollow, follow };
}

/** Makes the memory of one repository. */
export function createGraphMemory({ store, ownWrites, commits, read }: GraphMemoryParts): GraphMemory {
  let newest: CachedGraph | null = null;
  const graphs = new Map<string, Promise<CachedGraph | null>>();
  const views = new Map<string, Promise<View | undefined>>();
  let last: Promise<unknown> = Promise.resolve();

  const view = (operation: string): Promise<View | undefined> =>
    kept(views, viewsKept, operation, () => readView(store, operation));

  const { canFollow, follow } = createFollowing({ ownWrites, commits }, view);

  async function readWhole(operation: string): Promise<CachedGraph | null> {
    const seen = await view(operation);
    if (!seen) return null;
    const above = `descendants(${ofRuns})`;
    const rows = await read(`${above} | parents(${above})`, operation, maxChanges);
    if (rows.length >= maxChanges) return null;
    const byCommit = new Map(rows.map((row) => [row.commitId, row]));
    const changes = changesOnRuns(
      rows.map(({ commitId }) => commitId),
      (commit) => byCommit.get(commit),
    );
    for (const { commitId } of changes) byCommit.delete(commitId);
    return { operation, ...seen, rows: byId(changes), below: byCommit };
  }

  async function followNewest(operation: string): Promise<CachedGraph | null> {
    const graph = newest?.operation === operation ? newest : newest && (await follow(newest, operation));
    if (graph) newest = graph;
    return graph;
  }

  async function find(operation: string): Promise<CachedGraph | null> {
    const graph = (await followNewest(operation)) ?? (await readWhole(operation));
    if (graph) newest = graph;
    return graph;
  }

  /** One after another: each begins with what the one before it found. */
  function inTurn(task: () => Promise<CachedGraph | null>): Promise<CachedGraph | null> {
    const found = last.then(task);
    last = found.catch(() => undefined);
    return found;
  }

  async function unpublished(operation: string): Promise<CachedGraph | null> {
    const whole = newest && (await findOperation(store, operation));
    return whole && newest ? follow(newest, whole) : null;
  }

  const known = async (operation: string): Promise<CachedGraph | null> =>
    graphs.get(operation) ?? inTurn(() => followNewest(operation));

  return {
    view,
    unpublished,
    known,
    async delta(from, to) {
      const before = await graphs.get(from);
      const after = await known(to);
      // Kept also where there is nothing to compare it with: the next difference begins here.
      if (after) await kept(graphs, graphsKept, to, async () => after);
      if (!before || !after || !(await canFollow(before, to, after))) return null;
      return deltaBetween(before, after);
    },
    async unpublishedCommit(operation, changeId) {
      const graph = await unpublished(operation);
      return (graph && changeNamed(graph, changeId)?.commitId) ?? null;
    },
    at: (operation) => kept(graphs, graphsKept, operation, () => inTurn(() => find(operation))),
  };
}

/**
 * What differs between two known graphs of which the later one came about by our own writes.
 * @returns null where something came or went that is not among the changes that are known
 */
function deltaBetween(before: CachedGraph, after: CachedGraph): GraphDelta | null {
  const added = [...after.rows.values()].filter((row) => isNewIn(before, row));
  const removed = [...before.rows.values()].filter(({ commitId }) => !after.rows.has(commitId));
  const visibleBefore = visibleIn(before);
  const visibleAfter = visibleIn(after);
  const areAllCached =
    [...after.heads, ...added.flatMap(({ parents }) => parents)].every(
      (commit) => after.rows.has(commit) || visibleBefore.has(commit) || isRootCommit(commit),
    ) &&
    [...before.heads, ...removed.flatMap(({ parents }) => parents)].every(
      (commit) => before.rows.has(commit) || visibleAfter.has(commit) || isRootCommit(commit),
    );
  if (!areAllCached) return null;
  return {
    from: before.operation,
    operation: after.operation,
    added,
    removed: removed.map(({ commitId }) => commitId),
    refs: after.refs,
  };
}

/** Commits never change, but whether another one has the same change id does. */
function isNewIn({ rows }: CachedGraph, row: Change): boolean {
  const known = rows.get(row.commitId);
  return known === undefined || known.divergent !== row.divergent || known.immutable !== row.immutable;
}

/** Commits that are certainly visible: the changes of runs, their parents, and all heads. */
const visibleIn = ({ heads, rows }: CachedGraph): ReadonlySet<string> =>
  new Set([...heads, ...[...rows.values()].flatMap(({ commitId, parents }) => [commitId, ...parents])]);

const byId = (changes: readonly Change[]): ReadonlyMap<string, Change> =>
  new Map(changes.map((change) => [change.commitId, change]));

/**
 * Whether an existing bookmark moved to another change, which may make commits immutable or mutable.
 * Bookmarks that were created, deleted, or moved along with their change do not count.
 */
function movesNames(from: CachedGraph, to: View): boolean {
  return Object.entries(to.refs.bookmarks).some(([name, targets]) => {
    const before = from.refs.bookmarks[name];
    return (
      before !== undefined &&
      before.join() !== targets.join() &&
      !before.every((commit) => from.rows.has(commit))
    );
  });
}

/** The answer for a key, found once; the oldest are forgotten, and so is a failure. */
function kept<Value>(
  answers: Map<string, Promise<Value>>,
  most: number,
  key: string,
  find: () => Promise<Value>,
): Promise<Value> {
  const known = answers.get(key);
  if (known) return known;
  const answer = find();
  answers.set(key, answer);
  answer.catch(() => answers.delete(key));
  const oldest = answers.keys().next();
  if (answers.size > most && !oldest.done) answers.delete(oldest.value);
  return answer;
}
