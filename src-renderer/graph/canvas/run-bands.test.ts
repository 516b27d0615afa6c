import { expect, test } from "vitest";
import type { CanvasNode } from "#shared/graph/canvas-layout.ts";
import type { Change } from "#shared/graph/change.ts";
import { liveBands } from "./run-bands.ts";

const node = (id: string, x: number, y: number, metadata: Change["metadata"]): CanvasNode => ({
  id,
  x,
  y,
  row: {
    kind: "change",
    fold: null,
    change: {
      commitId: id,
      changeId: id,
      parents: [],
      description: id,
      author: { name: "A", email: "a@example.org" },
      timestamp: 0,
      metadata,
      immutable: false,
      divergent: false,
      conflict: false,
    },
  },
});
const task = (phase: number, over: Change["metadata"] = {}): Change["metadata"] => ({
  kind: "task",
  run: "r",
  orchestrator: "O-A-1",
  phase,
  ...over,
});
const live = {
  id: "r",
  phases: [
    { number: 1, title: "Build" },
    { number: 2, title: "Polish" },
  ],
};

test("each phase of the run has one band around its own tasks, and around nobody else's", () => {
  const bands = liveBands(
    [
      node("a", 0, -100, task(1)),
      node("b", 272, -100, task(1)),
      node("c", 0, -200, task(2)),
      node("part", 900, -300, task(1, { orchestrator: "O-B-1" })),
      node("earlier", 900, -400, task(1, { run: "other" })),
      node("message", 900, -500, { kind: "message", run: "r", orchestrator: "O-A-1", phase: 1 }),
    ],
    live,
  );
  expect(bands.map(({ data: { phase, title, tasks } }) => [phase, title, tasks])).toEqual([
    [1, "Build", 2],
    [2, "Polish", 1],
  ]);
  const [first, second] = bands;
  expect((second?.position.y ?? 0) + (second?.height ?? 0)).toBeLessThanOrEqual(first?.position.y ?? 0);
  expect((first?.position.x ?? 0) + (first?.width ?? 0)).toBeLessThan(900);
});

test("phases that stand beside each other have no bands, as one would cover the other's tasks", () => {
  expect(liveBands([node("a", 0, -100, task(1)), node("b", 272, -100, task(2))], live)).toEqual([]);
});
