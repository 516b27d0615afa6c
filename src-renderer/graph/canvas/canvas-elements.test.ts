import { describe, expect, it } from "vitest";
import { canvasLayout } from "#shared/graph/canvas-layout.ts";
import type { Change } from "#shared/graph/change.ts";
import { buildGraph } from "#shared/graph/change-graph.ts";
import { foldHistory } from "#shared/graph/history-folding.ts";
import { aChange } from "#shared/testing/kit.ts";
import { flowOf } from "./canvas-elements.ts";
import { stretchOf, viewFitting } from "./canvas-view.tsx";
import { titleSize, zoomLevelOf } from "./use-map-zoom.ts";

const change = (id: string, parents: readonly string[]): Change =>
  aChange(id, { commitId: id, parents, description: id });

const layoutOf = (changes: readonly Change[]) => {
  const graph = buildGraph({ operation: "op", changes, refs: { bookmarks: {}, workspaces: {} } });
  const folded = foldHistory(graph, { open: new Set() });
  return canvasLayout(folded);
};

describe("the elements of the canvas", () => {
  const line = Array.from({ length: 100 }, (_, n) => change(`k${n}`, n < 99 ? [`k${n + 1}`] : []));
  const layout = layoutOf(line);

  it("are the same objects again when nothing moved", () => {
    const first = flowOf(layout);
    const again = flowOf(layout);
    expect(again.nodes.every((node, at) => node === first.nodes[at])).toBe(true);
    expect(again.edges.every((edge, at) => edge === first.edges[at])).toBe(true);
  });

  it("are given in stretches, with both ends of every line that crosses", () => {
    // One line from the top straight to the bottom, beside a hundred changes.
    const whole = flowOf(layoutOf([change("far", ["k99"]), ...line]));
    const middle = whole.nodes.find((node) => node.id === "k50");
    const y = middle?.position.y ?? 0;
    const part = stretchOf(whole, y - 150, y + 150);
    expect(part.nodes.length).toBeLessThan(12);
    const ids = new Set(part.nodes.map((node) => node.id));
    expect(ids.has("k50")).toBe(true);
    expect(part.edges.length).toBeGreaterThan(0);
    expect(part.edges.every((edge) => ids.has(edge.source) && ids.has(edge.target))).toBe(true);
  });
});

describe("the first view", () => {
  it("shows a box whole where it can, and its top left where it cannot", () => {
    const small = viewFitting({ left: 0, top: -300, right: 400, bottom: 0 }, 1_000, 800);
    expect(small.y + -300 * small.zoom).toBeGreaterThanOrEqual(0);
    expect(small.x + 400 * small.zoom).toBeLessThanOrEqual(1_000);
    const large = viewFitting({ left: 100, top: -9_000, right: 9_000, bottom: 0 }, 1_000, 800);
    expect(large.x + 100 * large.zoom).toBeCloseTo(40);
    expect(large.y + -9_000 * large.zoom).toBeCloseTo(40);
  });

  it("never makes words smaller than can be read", () => {
    for (const [width, height] of [
      [1_000, 800],
      [420, 300],
    ] as const)
      for (const right of [300, 2_000, 20_000]) {
        const { zoom } = viewFitting({ left: 0, top: -right, right, bottom: 0 }, width, height);
        expect(zoomLevelOf(zoom), "words are drawn at all").not.toBe("far");
      }
    // Small words stand on nodes only where they are drawn at their own size.
    expect(zoomLevelOf(0.99)).toBe("middle");
    expect(titleSize(0.5) * 0.5).toBeGreaterThanOrEqual(11);
  });
});

describe("the radar", () => {
  it("adds a line from the upper node to the lower, and none to a change that is not shown", () => {
    const layout = layoutOf([
      change("above", ["task"]),
      change("task", ["base"]),
      change("other", ["base"]),
      change("base", []),
    ]);
    const link = (from: string, to: string) => ({ a: "agent-1", b: "agent-2", files: ["api.ts"], from, to });
    const { edges } = flowOf(layout, [link("task", "above"), link("task", "gone")]);
    expect(edges.filter((edge) => edge.type === "radar")).toMatchObject([
      { source: "above", target: "task", data: { a: "agent-1", b: "agent-2", files: ["api.ts"] } },
    ]);
  });
});
