import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Change, joinSnapshots, type Operation, withNewerOperations } from "./change.ts";
import {
  buildGraph,
  type ChangeGraph,
  isAncestor,
  parentRows,
  rowOfCommit,
  rowsOfChange,
  type Topology,
} from "./change-graph.ts";
import { applyDelta } from "./delta.ts";
import { foldHistory } from "./history-folding.ts";
import { type LaneLayout, laneRows, layoutLanes } from "./lanes.ts";
import { isTopological } from "./testing/is-topological.ts";
import {
  editHistory,
  type SampleHistory,
  sampleHistory,
  seededRandom,
  snapshotOf,
} from "./testing/sample-history.ts";

/** Follows every line from its child to its parent and checks that lines keep to their own lanes. */
function checkLines(topology: Topology, layout: LaneLayout): void {
  const count = topology.order.length;
  const rows = laneRows(layout, 0, count);
  expect(rows).toHaveLength(count);
  const arrivals = new Map<number, number>();
  rows.forEach((row, at) => {
    const used = [row.lane, ...row.through];
    expect(new Set(used).size).toBe(used.length);
    expect(Math.max(...used)).toBeLessThan(layout.width);
    expect(row.edges.map((edge) => edge.parent)).toEqual(parentRows(topology, at));
    expect(new Set(row.edges.map((edge) => edge.to)).size).toBe(row.edges.length);
    for (const edge of row.edges) {
      for (let below = at + 1; below < edge.parent; below++) expect(rows[below]?.through).toContain(edge.to);
      expect(rows[edge.parent]?.lane).toBe(edge.to);
      expect(rows[edge.parent]?.fromAbove).toBe(true);
      arrivals.set(edge.parent, (arrivals.get(edge.parent) ?? 0) + 1);
    }
    expect(row.fromAbove).toBe((arrivals.get(at) ?? 0) > 0);
    // Every line that passes is on its way from a row above to one below.
    for (const lane of row.through) {
      const above = rows[at - 1];
      expect(above?.through.includes(lane) || above?.edges.some((edge) => edge.to === lane)).toBe(true);
    }
  });
}

const history = fc
  .record({
    count: fc.integer({ min: 0, max: 60 }),
    seed: fc.nat(),
    branching: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ count, seed, branching }) => sampleHistory(count, seed, branching));

/** One random operation: a new change, a rewrite, a rebase, a merge, or one change less. */
function randomEdit(from: SampleHistory, random: () => number, name: string) {
  const ids = [...from.changes.keys()];
  const pick = (): string => ids[Math.floor(random() * ids.length)] ?? "c0";
  const isBelow = (id: string, over: string): boolean =>
    id === over || (from.changes.get(over)?.parents.some((parent) => isBelow(id, parent)) ?? false);
  const what = random();
  const id = pick();
  const change = from.changes.get(id);
  if (!change || what < 0.3)
    return editHistory(from, [{ changeId: name, parents: ids.length === 0 ? [] : [pick()] }]);
  if (what < 0.5)
    return editHistory(from, [{ changeId: id, parents: change.parents, description: `again ${name}` }]);
  if (what < 0.7) return editHistory(from, [], [id]);
  const onto = pick();
  if (isBelow(id, onto)) return editHistory(from, [{ changeId: name, parents: [...new Set([id, onto])] }]);
  return editHistory(from, [
    { changeId: id, parents: what < 0.85 ? [onto] : [...new Set([...change.parents, onto])] },
  ]);
}

const commitsOf = (graph: ChangeGraph): string[] => graph.changes.map((change) => change.commitId);

describe("the change graph", () => {
  const diamond = buildGraph(
    snapshotOf({
      operation: 0,
      refs: { bookmarks: {}, workspaces: {} },
      changes: new Map(
        Object.entries({ a: [], b: ["a"], c: ["a"], d: ["b", "c"] }).map(([changeId, parents]) => [
          changeId,
          { changeId, parents, version: 0 },
        ]),
      ),
    }),
  );

  it("answers which changes are ancestors", () => {
    expect(commitsOf(diamond)).toEqual(["d.0", "c.0", "b.0", "a.0"]);
    expect(rowOfCommit(diamond, "c.0")).toBe(1);
    expect(rowOfCommit(diamond, "elsewhere")).toBe(-1);
    expect(rowsOfChange(diamond, "b")).toEqual([2]);
    expect([0, 1, 2, 3].filter((row) => isAncestor(diamond, row, 0))).toEqual([0, 1, 2, 3]);
    expect([0, 1, 2, 3].filter((row) => isAncestor(diamond, row, 2))).toEqual([2, 3]);
  });

  it("puts children above parents in any input order", () => {
    fc.assert(
      fc.property(history, fc.nat(), (sample, seed) => {
        const random = seededRandom(seed);
        const snapshot = snapshotOf(sample);
        const shuffled = snapshot.changes
          .map((change) => ({ change, at: random() }))
          .sort((a, b) => a.at - b.at);
        const graph = buildGraph({ ...snapshot, changes: shuffled.map(({ change }) => change) });
        expect(isTopological(graph)).toBe(true);
        expect(commitsOf(graph).sort()).toEqual(snapshot.changes.map((change) => change.commitId).sort());
        expect(commitsOf(buildGraph(snapshot))).toEqual(snapshot.changes.map((change) => change.commitId));
      }),
    );
  });

  it("refuses a cycle", () => {
    const [d, c, b, a] = diamond.changes;
    if (!a || !b || !c || !d) throw new Error("the diamond has four rows");
    const circle = [d, c, b, { ...a, parents: ["d.0"] }];
    expect(() => buildGraph({ operation: "", changes: circle, refs: diamond.refs })).toThrow(/own ancestors/);
  });
});

describe("operations", () => {
  const operation = (id: string, snapshot: boolean): Operation => ({
    ...{
      id,
      snapshot,
      description: id,
      parents: ["p"],
      time: 0,
      workspace: null,
      actor: "agent-1",
      request: null,
    },
  });

  it("are not pushed out of the list by the snapshots of agents at work", () => {
    const known = Array.from({ length: 150 }, (_, at) => operation(`landed ${at}`, false));
    const newer = Array.from({ length: 900 }, (_, at) => operation(`snapshot ${at}`, true));
    const listed = withNewerOperations(known, newer);
    expect(listed.filter(({ snapshot }) => !snapshot)).toEqual(known);
    expect(listed).toHaveLength(350);
  });

  it("of one actor show the last of several snapshots in a row", () => {
    const own = [
      ["e", true],
      ["d", true],
      ["c", false],
      ["b", true],
      ["a", false],
    ] as const;
    expect(joinSnapshots(own.map(([id, snapshot]) => operation(id, snapshot))).map(({ id }) => id)).toEqual([
      "e",
      "c",
      "b",
      "a",
    ]);
  });
});

describe("lanes", () => {
  it("draw every edge once, from its child to its parent, and never two lines in one place", () => {
    fc.assert(
      fc.property(history, fc.nat(3), (sample, hidden) => {
        const snapshot = snapshotOf(sample);
        // Without some of the rows, lines to them end below the child.
        const changes = snapshot.changes.filter((_, at) => hidden === 0 || at % (hidden + 2) !== 1);
        const graph = buildGraph({ ...snapshot, changes });
        checkLines(graph, layoutLanes(graph));
      }),
      { numRuns: 200 },
    );
  });

  it("give any window of rows as the whole gives it", () => {
    const graph = buildGraph(snapshotOf(sampleHistory(700, 5, 0.3)));
    const layout = layoutLanes(graph);
    const all = laneRows(layout, 0, 700);
    for (const first of [0, 1, 127, 128, 129, 500, 699]) {
      expect(laneRows(layout, first, first + 20)).toEqual(all.slice(first, first + 20));
    }
  });

  it("do not jump when something is added elsewhere", () => {
    fc.assert(
      fc.property(history, fc.nat(), (sample, seed) => {
        const graph = buildGraph(snapshotOf(sample));
        const layout = layoutLanes(graph);
        const ids = [...sample.changes.keys()];
        const onto = ids[seed % Math.max(1, ids.length)];
        const { delta } = editHistory(sample, [
          { changeId: "new", parents: onto === undefined ? [] : [onto] },
        ]);
        const next = applyDelta(graph, delta);
        const after = layoutLanes(next, layout);
        for (const change of graph.changes) {
          const was = layout.laneOf[graph.order[rowOfCommit(graph, change.commitId)] ?? 0];
          expect(after.laneOf[next.order[rowOfCommit(next, change.commitId)] ?? 0]).toBe(was);
        }
      }),
    );
  });
});

describe("a delta", () => {
  it("leads to the same graph and the same lanes as a full read", () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.integer({ min: 1, max: 12 }), (sample, seed, steps) => {
        const random = seededRandom(seed);
        let model = sample;
        let graph = buildGraph(snapshotOf(model));
        let layout = layoutLanes(graph);
        for (let step = 0; step < steps; step++) {
          const { history: next, delta } = randomEdit(model, random, `n${step}`);
          const applied = applyDelta(graph, delta);
          const kept = new Set(graph.changes);
          expect(applied.operation).toBe(delta.operation);
          expect(isTopological(applied)).toBe(true);
          const wanted = new Map(snapshotOf(next).changes.map((change) => [change.commitId, change]));
          expect(commitsOf(applied).sort()).toEqual([...wanted.keys()].sort());
          const before = new Set(commitsOf(graph));
          for (const change of applied.changes) {
            expect(change).toEqual(wanted.get(change.commitId));
            expect(kept.has(change)).toBe(before.has(change.commitId));
          }
          const relaid = layoutLanes(applied, layout);
          const fresh = buildGraph({
            operation: applied.operation,
            changes: applied.changes,
            refs: applied.refs,
          });
          expect(commitsOf(fresh)).toEqual(commitsOf(applied));
          const whole = layoutLanes(fresh);
          expect(relaid.width).toBe(whole.width);
          expect(laneRows(relaid, 0, 1_000)).toEqual(laneRows(whole, 0, 1_000));
          model = next;
          graph = applied;
          layout = relaid;
        }
      }),
      { numRuns: 300 },
    );
  });

  it("stays correct over many rows, when only a part is laid out again", () => {
    const random = seededRandom(3);
    let model = sampleHistory(2_000, 9, 0.2);
    let graph = buildGraph(snapshotOf(model));
    let layout = layoutLanes(graph);
    for (let step = 0; step < 40; step++) {
      const { history: next, delta } = randomEdit(model, random, `n${step}`);
      graph = applyDelta(graph, delta);
      layout = layoutLanes(graph, layout);
      model = next;
    }
    const whole = layoutLanes(buildGraph({ operation: "", changes: graph.changes, refs: graph.refs }));
    expect(laneRows(layout, 0, 3_000)).toEqual(laneRows(whole, 0, 3_000));
    expect(commitsOf(graph).sort()).toEqual(
      snapshotOf(model)
        .changes.map((change) => change.commitId)
        .sort(),
    );
  });

  it("keeps a rewritten change in its row, and the earlier version unchanged", () => {
    const sample = sampleHistory(30, 4);
    const graph = buildGraph(snapshotOf(sample));
    const before = commitsOf(graph);
    const change = sample.changes.get("c20");
    if (!change) throw new Error("there are thirty changes");
    const { delta } = editHistory(sample, [
      { changeId: "c20", parents: change.parents, description: "new words" },
    ]);
    const next = applyDelta(graph, delta);
    expect(next.changes.map((row) => row.changeId)).toEqual(graph.changes.map((row) => row.changeId));
    expect(commitsOf(graph)).toEqual(before);
    expect(rowOfCommit(graph, "c20.1")).toBe(-1);
  });

  it("shows a child that waits for its parent to return, and replaces flags in place", () => {
    const sample = sampleHistory(20, 8, 0.4);
    const snapshot = snapshotOf(sample);
    const missing = snapshot.changes.filter((_, at) => at % 5 === 2);
    const graph = buildGraph({
      ...snapshot,
      changes: snapshot.changes.filter((change) => !missing.includes(change)),
    });
    const flagged = graph.changes.slice(0, 2).map((change): Change => ({ ...change, immutable: true }));
    const added = [...missing, ...flagged];
    const next = applyDelta(graph, { from: "", operation: "later", added, removed: [], refs: graph.refs });
    expect(isTopological(next)).toBe(true);
    expect(next.changes).toHaveLength(20);
    expect(next.changes.filter((change) => change.immutable)).toHaveLength(2);
    checkLines(next, layoutLanes(next, layoutLanes(graph)));
  });
});

describe("folded history", () => {
  const quiet = (count: number): SampleHistory => {
    const sample = sampleHistory(count, 6, 0.1);
    const changes = [...sample.changes.values()].map((change, at) => ({
      ...change,
      immutable: at < count - 10,
    }));
    return { ...sample, changes: new Map(changes.map((change) => [change.changeId, change])) };
  };

  it("loses no change and keeps every dependency", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 80 }), fc.nat(), fc.nat(), (count, seed, openSeed) => {
        const random = seededRandom(seed);
        const sample = quiet(count);
        const bookmarks = Object.fromEntries(
          [...sample.changes.keys()].filter(() => random() < 0.1).map((id) => [id, [`${id}.0`]]),
        );
        const graph = buildGraph(snapshotOf({ ...sample, refs: { bookmarks, workspaces: {} } }));
        const closed = foldHistory(graph, { open: new Set() });
        const folds = closed.rows.filter((row) => row.kind === "fold").map((row) => row.fold);
        const open = new Set(folds.filter((_, at) => (openSeed >> at) & 1));
        const folded = foldHistory(graph, { open });
        expect(isTopological(folded)).toBe(true);
        checkLines(folded, layoutLanes(folded));
        const total = folded.rows.reduce((sum, row) => sum + (row.kind === "fold" ? row.count : 1), 0);
        expect(total).toBe(graph.changes.length);
        for (const row of folded.rows) {
          if (row.kind === "fold") expect(open.has(row.fold)).toBe(false);
        }
        graph.changes.forEach((change, at) => {
          const inside = folded.foldedRows[at] ?? -1;
          if (!change.immutable || change.commitId in bookmarks)
            expect(folded.rows[inside]?.kind).toBe("change");
          for (const parent of parentRows(graph, at)) {
            const below = folded.foldedRows[parent] ?? -1;
            expect(below === inside || parentRows(folded, inside).includes(below)).toBe(true);
          }
        });
      }),
    );
  });

  it("gives the same row objects while nothing in them changed", () => {
    const sample = quiet(60);
    const graph = buildGraph(snapshotOf(sample));
    const first = foldHistory(graph, { open: new Set() });
    const { delta } = editHistory(sample, [{ changeId: "new", parents: ["c59"] }]);
    const second = foldHistory(applyDelta(graph, delta), { open: new Set() });
    const old = new Set(first.rows);
    expect(second.rows.filter((row) => !old.has(row))).toHaveLength(1);
    expect(first.rows.some((row) => row.kind === "fold" && row.count > 10)).toBe(true);
  });
});
