import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canvasLayout, nodeHeight, nodeWidth } from "./canvas-layout.ts";
import { buildGraph } from "./change-graph.ts";
import { applyDelta } from "./delta.ts";
import { foldHistory } from "./history-folding.ts";
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

  it("puts tasks side by side on their base, the trunk straight, and notes at the side", () => {
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

  it("never puts two rows in one place", () => {
    fc.assert(
      fc.property(history, (sample) => {
        const { nodes } = canvasLayout(foldHistory(buildGraph(snapshotOf(sample)), { open: new Set() }));
        expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length);
      }),
    );
  });

  it("draws the phases as bands and the hidden parents as one line", () => {
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
