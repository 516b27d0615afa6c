import type { Change, GraphDelta } from "#shared/graph/change.ts";
import { findOperation, type Store } from "../op-heads.ts";
import type { OwnWrites } from "../own-writes.ts";
import { ofRuns } from "../run-revsets.ts";
import type { CommitStore } from "./commit-store.ts";
import { deltaBetween } from "./graph-delta.ts";
import { type CachedGraph, changeNamed, changesOnRuns, withDivergence } from "./known-graph.ts";
import { readView, type View } from "./view-file.ts";

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
  /** The same at an operation that was not published and stands on one that is known; null where nothing is known of that. */
  unpublished(operation: string): Promise<CachedGraph | null>;
  /** The one visible commit of a change at such an operation; null where it takes a process to know. */
  unpublishedCommit(operation: string, changeId: string): Promise<string | null>;
  /** What differs between two operations that were published; null where jj has to say it. */
  delta(from: string, to: string): Promise<GraphDelta | null>;
  /** What an operation says of bookmarks, workspaces and heads; undefined where its file does not tell. */
  view(operation: string): Promise<View | undefined>;
}

export interface GraphMemoryParts {
  readonly store: Store;
  readonly ownWrites: OwnWrites;
  readonly commits: CommitStore;
  /** Reads rows with jj. */
  readonly read: (revset: string, operation: string, limit: number) => Promise<readonly Change[]>;
}

/** More than any run has; whoever has more asks jj each time. */
const maxChanges = 5_000;
/** Commits that one operation of ours may have made. */
const maxNewCommits = 1_000;
/** Readers that were pinned a moment ago find their graph again, and who follows the graph what it has last seen. */
const graphsKept = 16;
const viewsKept = 64;

/** The commits that came with new heads, down to what is known; null where one of them is not in a file of its own. */
async function readWritten(
  commits: CommitStore,
  from: CachedGraph,
  to: View,
): Promise<ReadonlyMap<string, Change> | null> {
  const old = new Set(from.heads);
  const written = new Map<string, Change>();
  const open = to.heads.filter((head) => !old.has(head));
  for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
    if (from.rows.has(commit) || from.below.has(commit) || written.has(commit)) continue;
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
    return { operation, ...seen, rows: byId(withDivergence(changes)), below: from.below };
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

const byId = (changes: readonly Change[]): ReadonlyMap<string, Change> =>
  new Map(changes.map((change) => [change.commitId, change]));

/**
 * Whether a bookmark that stood somewhere stands on another change now, which may make commits immutable or mutable
 * again. Those that came, went, or moved along with their change do not.
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
