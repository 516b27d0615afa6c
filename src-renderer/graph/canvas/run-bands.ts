/** The phases of the run that goes on, as bands behind the tasks of its root. */
import { isRoot } from "#shared/domain/graph-words/address.ts";
import type { CanvasNode } from "#shared/graph/canvas-layout.ts";
import { nodeHeight, nodeWidth, rowGap } from "#shared/graph/canvas-layout.ts";
import { type BandFlowNode, bandLabel, bandNode } from "../plan/plan-elements.ts";

export interface LiveRun {
  readonly id: string;
  readonly phases: readonly { readonly number: number; readonly title: string }[];
}

interface Stretch {
  left: number;
  right: number;
  top: number;
  bottom: number;
  tasks: number;
}

/**
 * One band for each phase that has tasks on the graph. Where phases run beside each other, so that their bands would
 * overlap, there are none: a band must say where a phase ends.
 */
export function liveBands(nodes: readonly CanvasNode[], run: LiveRun): readonly BandFlowNode[] {
  const stretches = new Map<number, Stretch>();
  for (const { row, x, y } of nodes) {
    if (row.kind !== "change") continue;
    const { kind, phase, run: of, orchestrator } = row.change.metadata;
    if (of !== run.id || kind !== "task" || phase === undefined || phase < 1) continue;
    // Parts count phases of their own.
    if (orchestrator === undefined || !isRoot(orchestrator)) continue;
    const known = stretches.get(phase);
    stretches.set(phase, {
      left: Math.min(known?.left ?? x, x),
      right: Math.max(known?.right ?? x, x),
      top: Math.min(known?.top ?? y, y),
      bottom: Math.max(known?.bottom ?? y, y),
      tasks: (known?.tasks ?? 0) + 1,
    });
  }
  const bands = [...stretches].sort(([one], [other]) => one - other);
  const overlapping = bands.some(([phase, a]) =>
    bands.some(([other, b]) => other > phase && a.top <= b.bottom && b.top <= a.bottom),
  );
  if (overlapping) return [];
  const left = Math.min(...bands.map(([, { left: x }]) => x));
  const right = Math.max(...bands.map(([, { right: x }]) => x));
  return bands.map(([phase, { top, bottom, tasks }]) =>
    bandNode(
      `band:${phase}`,
      {
        phase,
        title: run.phases.find((one) => one.number === phase)?.title ?? "",
        tasks,
        proposed: false,
      },
      {
        x: left - bandLabel,
        y: top - rowGap / 2 + 2,
        width: right - left + nodeWidth + bandLabel + 20,
        height: bottom - top + nodeHeight + rowGap - 4,
      },
    ),
  );
}
