import { describe, expect, it } from "vitest";
import { type CanvasNode, laneGap, nodeHeight, nodeWidth, rowGap } from "#shared/graph/canvas-layout.ts";
import { areRowsRead, farLabel, farNodeAt, labelSize, markRadius } from "./far-labels.ts";

const pitch = nodeHeight + rowGap;
const node = (id: string, column: number, level: number, description = `Change ${id}`): CanvasNode =>
  ({
    id,
    x: column * (nodeWidth + laneGap),
    y: -level * pitch,
    row: { kind: "change", change: { description } },
  }) as unknown as CanvasNode;

describe("a map that is far away", () => {
  it("writes words of a size that can be read as long as 26 rows fit into a window, and none where rows are closer", () => {
    expect(labelSize).toBeGreaterThanOrEqual(11);
    for (const height of [480, 780])
      expect(areRowsRead((height * 0.92) / (26 * pitch)), `${height}`).toBe(true);
    expect(areRowsRead(0.1)).toBe(false);
  });

  it("draws marks that never touch, however close rows come", () => {
    for (const zoom of [0.04, 0.1, 0.2, 0.49]) expect(2 * markRadius(zoom)).toBeLessThan(pitch * zoom);
  });

  it("ends words before the next mark of their row, and nowhere else", () => {
    const long = "a".repeat(400);
    const nodes = [node("a", 0, 1, long), node("b", 1, 1), node("c", 0, 0, long)];
    const [a, , c] = nodes as [CanvasNode, CanvasNode, CanvasNode];
    const label = farLabel(a, nodes, 0.3);
    expect(a.x + label.left + label.room).toBeLessThan((nodes[1]?.x ?? 0) + nodeWidth / 2);
    expect(label.room).toBeGreaterThan(0);
    expect(farLabel(c, nodes, 0.3).room).toBeGreaterThan(4 * label.room);
  });

  it("finds a change by its mark and by its text", () => {
    const nodes = [node("a", 0, 1, "A change with words as long as this"), node("b", 0, 0)];
    const y = -pitch + nodeHeight / 2;
    const zoom = 0.3;
    const { left, room } = farLabel(nodes[0] as CanvasNode, nodes, zoom);
    const at = (x: number) => farNodeAt(nodes, { x, y }, zoom)?.id ?? null;
    expect(at(nodeWidth / 2)).toBe("a");
    expect(at(left + room - 1)).toBe("a");
    expect(at(left + room + 60)).toBeNull();
    expect(farNodeAt(nodes, { x: nodeWidth / 2, y: 1_000 }, zoom)).toBeNull();
  });
});
