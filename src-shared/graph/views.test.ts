import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Metadata } from "../domain/graph-words/metadata.ts";
import { canvasLayout, nodeHeight, nodeWidth } from "./canvas-layout.ts";
import { buildGraph, type ChangeGraph, isAncestor, rowsOfChange } from "./change-graph.ts";
import { applyDelta } from "./delta.ts";
import { foldHistory } from "./history-folding.ts";
import { readyTasks } from "./ready.ts";
import { previewRebase } from "./rebase-preview.ts";
import { isTopological } from "./testing/is-topological.ts";
import {
  editHistory,
  type SampleChange,
  type SampleHistory,
  sampleHistory,
  snapshotOf,
} from "./testing/sample-history.ts";

const historyOf = (
  changes: Record<string, { on: string[] } & Partial<Omit<SampleChange, "parents">>>,
): SampleHistory => ({
  operation: 0,
  refs: { bookmarks: {}, workspaces: {} },
  changes: new Map(
    Object.entries(changes).map(([changeId, { on, ...rest }]) => [
      changeId,
      { changeId, parents: on, version: 0, ...rest },
    ]),
  ),
});
const history = fc
  .record({ count: fc.integer({ min: 1, max: 40 }), seed: fc.nat() })
  .map(({ count, seed }) => sampleHistory(count, seed, 0.3));

describe("readyTasks", () => {
  const task = (status: Metadata["status"], more: Metadata = {}) => ({
    metadata: { kind: "task" as const, ...(status ? { status } : {}), ...more },
  });

  it("finds open tasks without unfinished ones below, most urgent first, and says what blocks the others", () => {
    const graph = buildGraph(
      snapshotOf(
        historyOf({
          base: { on: [], metadata: { kind: "base", status: "open" } },
          finished: { on: ["base"], ...task("done") },
          second: { on: ["finished"], ...task("open", { rank: "a1" }) },
          urgent: { on: ["base"], ...task("open", { priority: "critical" }) },
          running: { on: ["base"], ...task("in_progress") },
          broken: { on: ["base"], ...task("open"), conflict: true },
          message: { on: ["running"], metadata: { kind: "message" } },
          last: { on: ["message", "second"], ...task("open", { rank: "a2" }) },
          afterLast: { on: ["last"], ...task("open", { priority: "low" }) },
        }),
      ),
    );
    const found = readyTasks(graph);
    expect(found.filter((each) => each.ready).map((each) => each.task.changeId)).toEqual([
      "urgent",
      "second",
    ]);
    const blocked = Object.fromEntries(
      found.map((each) => [each.task.changeId, each.blockedBy.map((by) => by.changeId).sort()]),
    );
    expect(blocked).toEqual({
      urgent: [],
      second: [],
      last: ["running", "second"],
      broken: [],
      running: [],
      afterLast: ["last"],
    });
  });

  it("calls ready exactly the open roots of the unfinished tasks", () => {
    const statuses = ["open", "done", "blocked", undefined] as const;
    fc.assert(
      fc.property(history, fc.infiniteStream(fc.nat(4)), (sample, kinds) => {
        const changes = [...sample.changes.values()].map((change): SampleChange => {
          const { value: kind = 0 } = kinds.next();
          return kind === 4 ? change : { ...change, ...task(statuses[kind]) };
        });
        const graph = buildGraph(
          snapshotOf({ ...sample, changes: new Map(changes.map((change) => [change.changeId, change])) }),
        );
        const unfinished = graph.changes.filter(
          ({ metadata }) => metadata.kind === "task" && metadata.status !== "done",
        );
        const row = (changeId: string): number => rowsOfChange(graph, changeId)[0] ?? -1;
        const roots = unfinished.filter(
          (one) =>
            !unfinished.some(
              (other) => other !== one && isAncestor(graph, row(other.changeId), row(one.changeId)),
            ),
        );
        const expected = roots.filter((one) => one.metadata.status === "open").map((one) => one.changeId);
        const found = readyTasks(graph);
        expect(found.map((each) => each.task.changeId).sort()).toEqual(
          unfinished.map((one) => one.changeId).sort(),
        );
        expect(
          found
            .filter((each) => each.ready)
            .map((each) => each.task.changeId)
            .sort(),
        ).toEqual(expected.sort());
      }),
    );
  });
});

describe("previewRebase", () => {
  const parentsOf = (graph: ChangeGraph): Map<string, string[]> => {
    const changeIds = new Map(graph.changes.map((change) => [change.commitId, change.changeId]));
    return new Map(
      graph.changes.map((change) => [
        change.changeId,
        change.parents.map((parent) => changeIds.get(parent) ?? "?"),
      ]),
    );
  };

  it("is the graph that jj's rebase leads to", () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.nat(), (sample, first, second) => {
        const graph = buildGraph(snapshotOf(sample));
        const what = graph.changes[first % graph.changes.length];
        const onto = graph.changes[second % graph.changes.length];
        if (!what || !onto) return;
        const preview = previewRebase(graph, what.commitId, onto.commitId);
        const isBelow = isAncestor(
          graph,
          rowsOfChange(graph, what.changeId)[0] ?? -1,
          rowsOfChange(graph, onto.changeId)[0] ?? -1,
        );
        if (isBelow) expect(preview).toEqual({ ok: false, reason: what === onto ? "itself" : "descendant" });
        if (!preview.ok) return;
        const { history: next, delta } = editHistory(sample, [
          { changeId: what.changeId, parents: [onto.changeId] },
        ]);
        expect(isTopological(preview.graph)).toBe(true);
        expect(parentsOf(preview.graph)).toEqual(parentsOf(buildGraph(snapshotOf(next))));
        expect([...preview.rewritten].sort()).toEqual([...delta.removed].sort());
        // What the preview shows is where the rows will stand.
        expect(applyDelta(graph, delta).changes.map((change) => change.changeId)).toEqual(
          preview.graph.changes.map((change) => change.changeId),
        );
      }),
    );
  });

  const stack = historyOf({
    root: { on: [], immutable: true },
    a: { on: ["root"] },
    b: { on: ["a"] },
    c: { on: ["b"] },
  });
  const graph = buildGraph(
    snapshotOf({ ...stack, refs: { bookmarks: { work: ["c.0"] }, workspaces: { here: "b.0" } } }),
  );

  it("refuses what cannot be", () => {
    expect(previewRebase(graph, "root.0", "a.0")).toEqual({ ok: false, reason: "immutable" });
    expect(previewRebase(graph, "b.0", "a.0")).toEqual({ ok: false, reason: "already-there" });
    expect(previewRebase(graph, "gone", "a.0")).toEqual({ ok: false, reason: "unknown" });
  });
});

describe("canvasLayout", () => {
  it("never puts two nodes in one place, points every edge down, and keeps what did not change", () => {
    fc.assert(
      fc.property(history, fc.nat(), (sample, pick) => {
        const before = buildGraph(snapshotOf(sample));
        const folded = foldHistory(before, { open: new Set() });
        const layout = canvasLayout(folded);
        const places = layout.nodes.map(({ x, y }) => `${x},${y}`);
        expect(new Set(places).size).toBe(places.length);
        const byId = new Map(layout.nodes.map((node) => [node.id, node]));
        expect(byId.size).toBe(layout.nodes.length);
        for (const { source, target } of layout.edges) {
          if (target === null) continue;
          expect(byId.get(target)?.y).toBeGreaterThan(byId.get(source)?.y ?? Infinity);
        }
        for (const { x, y } of layout.nodes) {
          expect(x + nodeWidth).toBeLessThanOrEqual(layout.width);
          expect(y + nodeHeight).toBeLessThanOrEqual(layout.height);
        }
        const changed = `c${pick % sample.changes.size}`;
        const { delta } = editHistory(sample, [
          { changeId: changed, parents: sample.changes.get(changed)?.parents ?? [] },
        ]);
        const next = foldHistory(applyDelta(before, delta), { open: new Set() });
        const again = canvasLayout(next, layout);
        const kept = new Set(layout.nodes);
        expect(again.nodes.filter((node) => !kept.has(node))).toHaveLength(delta.added.length);
        expect(again.edges.every((edge) => layout.edges.includes(edge))).toBe(true);
      }),
    );
  });

  it("stands tasks side by side on their base, the trunk straight, and notes aside", () => {
    const task = { metadata: { kind: "task" as const } };
    const graph = buildGraph(
      snapshotOf(
        historyOf({
          old: { on: [] },
          main: { on: ["old"] },
          mine: { on: ["main"] },
          base: { on: ["main"], metadata: { kind: "base" } },
          note: { on: ["base"], metadata: { kind: "message" } },
          api: { on: ["base"], ...task },
          client: { on: ["base"], ...task },
          whole: { on: ["api", "client"], metadata: { kind: "integration" } },
        }),
      ),
    );
    const layout = canvasLayout(foldHistory(graph, { open: new Set() }));
    const at = new Map(
      layout.nodes.map(({ id, x, y }) => [id, [x / (nodeWidth + 40), -y / (nodeHeight + 36)]]),
    );
    const trunk = ["main", "base", "api", "whole"].map((id) => at.get(id)?.[0]);
    expect(new Set(trunk)).toEqual(new Set([0]));
    expect(at.get("client")?.[1]).toBe(at.get("api")?.[1]);
    expect(at.get("note")?.[0]).toBeGreaterThan(at.get("client")?.[0] ?? Infinity);
    expect(at.get("mine")).toEqual([1, at.get("base")?.[1]]);
  });

  it("never stands two rows in one place", () => {
    fc.assert(
      fc.property(history, (sample) => {
        const { nodes } = canvasLayout(foldHistory(buildGraph(snapshotOf(sample)), { open: new Set() }));
        expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length);
      }),
    );
  });

  it("draws the phases as bands and the parents that are not shown as one line", () => {
    const graph = buildGraph(
      snapshotOf(
        historyOf({
          a: { on: ["hidden", "too"], metadata: { phase: 1 } },
          b: { on: ["a"], metadata: { phase: 1 } },
          c: { on: ["b"], metadata: { phase: 2 } },
        }),
      ),
    );
    const folded = foldHistory(graph, { open: new Set() });
    const layout = canvasLayout(folded);
    const [above, below] = layout.phases;
    expect([above?.phase, below?.phase]).toEqual([2, 1]);
    expect(above?.bottom).toBe(below?.top);
    expect(layout.edges.map((edge) => edge.target)).toEqual(["b", "a", null]);
  });
});
