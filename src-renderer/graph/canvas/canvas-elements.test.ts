import { describe, expect, it } from "vitest";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { canvasLayout } from "#shared/graph/canvas-layout.ts";
import type { Change } from "#shared/graph/change.ts";
import { buildGraph } from "#shared/graph/change-graph.ts";
import { foldHistory } from "#shared/graph/history-folding.ts";
import { flowOf } from "./canvas-elements.ts";
import { stretchOf } from "./canvas-window.ts";
import { liveBox, viewFitting } from "./use-home-view.ts";

const change = (id: string, parents: readonly string[]): Change => ({
  commitId: id,
  changeId: id,
  parents,
  description: id,
  author: { name: "A", email: "a@example.org" },
  timestamp: 0,
  metadata: {},
  immutable: false,
  divergent: false,
  conflict: false,
});

const layoutOf = (changes: readonly Change[]) => {
  const graph = buildGraph({ operation: "op", changes, refs: { bookmarks: {}, workspaces: {} } });
  const folded = foldHistory(graph, { open: new Set() });
  return canvasLayout(folded);
};

const plan: Plan = {
  goal: "g",
  summary: "s",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "Contracts", description: "", files: [] },
  phases: [{ number: 1, title: "Work" }],
  tasks: ["one", "two"].map((id) => ({
    id,
    title: id,
    description: "",
    phase: 1,
    priority: "high",
    files: [],
    after: [],
  })),
  integration: { title: "Together", description: "" },
  budget: { tokens: null, microDollars: null },
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

  it("show a proposed plan above its base, each ghost in a place of its own", () => {
    const { nodes, edges } = flowOf(layout, {
      proposed: { plan, problems: [], on: "k0", isOnContracts: false },
    });
    const ghosts = nodes.filter((node) => node.type === "ghost");
    expect(ghosts.map((node) => node.data.title)).toEqual(["Contracts", "one", "two", "Together"]);
    const base = nodes.find((node) => node.id === "k0");
    expect(ghosts.every((node) => node.position.y < (base?.position.y ?? 0))).toBe(true);
    expect(new Set(nodes.map(({ position: { x, y } }) => `${x} ${y}`)).size).toBe(nodes.length);
    const ghostEdges = edges
      .filter((edge) => edge.type === "ghost")
      .map((edge) => `${edge.source}→${edge.target}`);
    expect(ghostEdges).toContain("ghost:contracts→k0");
    // Both tasks wait for the contracts, and the integration for both: said by the phase, not by each of them.
    expect(ghostEdges).toEqual(["ghost:contracts→k0"]);
    const phaseEdges = edges.filter((edge) => edge.type === "phase");
    expect(phaseEdges.map((edge) => `${edge.source}→${edge.target}`)).toEqual([
      "proposed-band:1→ghost:contracts",
      "ghost:integration→proposed-band:1",
    ]);
  });

  it("leave the contracts out when their change is there already", () => {
    const { nodes, edges } = flowOf(layout, {
      proposed: { plan, problems: [], on: "k0", isOnContracts: true },
    });
    expect(nodes.some((node) => node.id === "ghost:contracts")).toBe(false);
    expect(edges.some((edge) => edge.source === "proposed-band:1" && edge.target === "k0")).toBe(true);
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

  it("looks at a part's plan that waits, beside the run's own phases, and at the run when none does", () => {
    const task = (id: string, parents: readonly string[]): Change => ({
      ...change(id, parents),
      metadata: { kind: "task", run: "r", orchestrator: "O-A-1", phase: 1 },
    });
    const layout = layoutOf([
      task("a", ["base"]),
      task("b", ["base"]),
      task("c", ["base"]),
      change("base", []),
    ]);
    const live = { id: "r", phases: [{ number: 1, title: "One" }] };
    const waiting = flowOf(layout, { live, proposed: { plan, problems: [], on: "c", isOnContracts: true } });
    expect(new Set(waiting.nodes.map((node) => node.id)).size, "each has an id of its own").toBe(
      waiting.nodes.length,
    );
    const leftOf = (id: string) => waiting.nodes.find((node) => node.id === id)?.position.x ?? Number.NaN;
    expect(liveBox(waiting.nodes, null, "c")?.left).toBe(Math.min(leftOf("c"), leftOf("proposed-band:1")));
    expect(liveBox(flowOf(layout, { live }).nodes, null)?.left).toBe(leftOf("band:1"));
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
    const { edges } = flowOf(layout, { radar: [link("task", "above"), link("task", "gone")] });
    expect(edges.filter((edge) => edge.type === "radar")).toMatchObject([
      { source: "above", target: "task", data: { a: "agent-1", b: "agent-2", files: ["api.ts"] } },
    ]);
  });
});
