import type { Change, GraphDelta, GraphSnapshot, Refs } from "../change.ts";

/** A made-up repository for tests and benchmarks: a value that can be edited as jj would and read as a snapshot. */
export interface SampleHistory {
  /** Change id → what the change is now; parents by change id. */
  readonly changes: ReadonlyMap<string, SampleChange>;
  readonly operation: number;
  readonly refs: Refs;
}

export interface SampleChange extends Partial<Omit<Change, "commitId" | "parents">> {
  readonly changeId: string;
  readonly parents: readonly string[];
  /** Rises with every rewrite; a part of the commit id. */
  readonly version: number;
}

/** Numbers from 0 to 1 that a seed decides. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const commitIdOf = (change: SampleChange): string => `${change.changeId}.${change.version}`;

/**
 * A history that grows as real ones do: most changes stand on a recent one, some begin a branch, some merge.
 * @param branching share of changes that do not stand on the newest one of their line, 0 to 1.
 */
export function sampleHistory(count: number, seed = 1, branching = 0.15): SampleHistory {
  const random = seededRandom(seed);
  const ids: string[] = [];
  const changes = new Map<string, SampleChange>();
  const tips: string[] = [];
  for (let n = 0; n < count; n++) {
    const changeId = `c${n}`;
    const parents: string[] = [];
    const tip = Math.floor(random() * tips.length);
    const first = tips[tip];
    if (first !== undefined) {
      if (random() < branching) {
        const from = ids[Math.max(0, ids.length - 1 - Math.floor(random() * 40))];
        if (from !== undefined) parents.push(from);
        if (tips.length < 8) tips.push(changeId);
        else tips[tip] = changeId;
      } else {
        parents.push(first);
        tips[tip] = changeId;
        const other = tips[Math.floor(random() * tips.length)];
        if (
          tips.length > 1 &&
          random() < 0.1 &&
          other !== undefined &&
          !parents.includes(other) &&
          other !== changeId
        ) {
          parents.push(other);
          tips.splice(tips.indexOf(other), 1);
        }
      }
    } else tips.push(changeId);
    ids.push(changeId);
    changes.set(changeId, { changeId, parents, version: 0 });
  }
  return { changes, operation: 0, refs: { bookmarks: {}, workspaces: {} } };
}

/** The history as Hox would read it from jj: children above parents, later changes first. */
export function snapshotOf(history: SampleHistory): GraphSnapshot {
  return {
    operation: `op${history.operation}`,
    changes: rowsOf(history, history.changes.values()),
    refs: history.refs,
  };
}

function rowsOf(history: SampleHistory, wanted: Iterable<SampleChange>): Change[] {
  const chosen = new Set(wanted);
  const seen = new Set<SampleChange>();
  const upwards: Change[] = [];
  for (const start of chosen) {
    const path: SampleChange[] = [start];
    for (let change = path.at(-1); change; change = path.at(-1)) {
      const below: SampleChange | undefined = change.parents
        .map((id) => history.changes.get(id))
        .find((parent) => parent !== undefined && chosen.has(parent) && !seen.has(parent));
      if (below) {
        path.push(below);
        continue;
      }
      path.pop();
      if (!seen.has(change)) upwards.push(changeOf(history, change));
      seen.add(change);
    }
  }
  return upwards.reverse();
}

function changeOf(history: SampleHistory, sample: SampleChange): Change {
  const { version: _, ...rest } = sample;
  return {
    description: `change ${sample.changeId}\n`,
    author: { name: "Ann", email: "ann@example.org" },
    timestamp: 1_700_000_000_000,
    metadata: {},
    immutable: false,
    divergent: false,
    conflict: false,
    ...rest,
    commitId: commitIdOf(sample),
    parents: sample.parents.map((id) => {
      const parent = history.changes.get(id);
      return parent ? commitIdOf(parent) : `${id}.gone`;
    }),
  };
}

/**
 * Puts changes in (new ones, or rewritten ones) and takes changes out, as one operation: descendants are rewritten
 * as jj does, and children of what is taken out move to its parents.
 */
export function editHistory(
  history: SampleHistory,
  put: readonly Omit<SampleChange, "version">[],
  take: readonly string[] = [],
  refs: Refs = history.refs,
): { history: SampleHistory; delta: GraphDelta } {
  const changes = new Map(history.changes);
  const rewritten = new Set<string>();
  for (const change of put) {
    const version = (changes.get(change.changeId)?.version ?? -1) + 1;
    changes.set(change.changeId, { ...changes.get(change.changeId), ...change, version });
    rewritten.add(change.changeId);
  }
  for (const id of take) {
    const gone = changes.get(id);
    if (!gone) continue;
    changes.delete(id);
    for (const [childId, child] of changes) {
      if (!child.parents.includes(id)) continue;
      const parents = [
        ...new Set(child.parents.flatMap((parent) => (parent === id ? gone.parents : [parent]))),
      ];
      changes.set(childId, { ...child, parents, version: child.version + (rewritten.has(childId) ? 0 : 1) });
      rewritten.add(childId);
    }
  }
  for (let again = true; again; ) {
    again = false;
    for (const [id, change] of changes) {
      if (
        rewritten.has(id) ||
        !change.parents.some((parent) => rewritten.has(parent) && history.changes.has(parent))
      ) {
        continue;
      }
      changes.set(id, { ...change, version: change.version + 1 });
      rewritten.add(id);
      again = true;
    }
  }
  const next: SampleHistory = { changes, operation: history.operation + 1, refs };
  const removed = [...new Set([...rewritten, ...take])].flatMap((id) => {
    const old = history.changes.get(id);
    return old ? [commitIdOf(old)] : [];
  });
  const added = rowsOf(
    next,
    [...rewritten].flatMap((id) => changes.get(id) ?? []),
  );
  return {
    history: next,
    delta: { from: `op${history.operation}`, operation: `op${next.operation}`, added, removed, refs },
  };
}
