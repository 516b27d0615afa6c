import { hiddenParents, nodeAt, parentRows, rowOfNode, type Topology } from "./change-graph.ts";
import { type CommitPool, childNodes } from "./commit-pool.ts";

/**
 * The lane of each row's node, left to right, as in jj's log: a lane is a line on its way down to one change.
 * Lines to the same change join at once, an ended lane is free for the next line, and lines move sideways
 * only to join: so additions elsewhere move nothing here.
 */
export interface LaneLayout {
  readonly topology: Topology;
  /** Node → lane; only meaningful for nodes that are shown. */
  readonly laneOf: Int32Array;
  /** Lanes that are in use anywhere. */
  readonly width: number;
  /** Lane → number of its nodes. */
  readonly population: Int32Array;
  readonly checkpoints: readonly Checkpoint[];
}

/** The lines that are on their way just above one node. */
interface Checkpoint {
  readonly node: number;
  /** Lane → the node that the line leads to, −1 for a free lane. */
  readonly targets: Int32Array;
}

/** A line that leaves a row's node downwards. */
interface LaneEdge {
  /** The line's lane at the next row; it stays there down to the parent. */
  readonly to: number;
  /** Row of the parent. */
  readonly parent: number;
}

/** What one row draws: its node, the lines that pass, and the lines that begin. */
export interface LaneRow {
  readonly lane: number;
  /** True when a line comes in from above. */
  readonly fromAbove: boolean;
  /** Lanes of lines that pass this row without touching its node, left to right. */
  readonly through: readonly number[];
  /** One for each parent that is shown, first parent first. */
  readonly edges: readonly LaneEdge[];
  /** How many parents are not shown: drawn as a line that ends below the node. */
  readonly elided: number;
}

const checkpointDistance = 128;

/** Lines on their way while rows are walked from top to bottom. */
interface Lines {
  /** Lane → target node, −1 free. */
  targets: Int32Array;
  /** No lane below this one is free. */
  hint: number;
}

const linesOf = (targets: Int32Array): Lines => ({ targets: targets.slice(), hint: 0 });

function firstFree(lines: Lines): number {
  let lane = lines.hint;
  while ((lines.targets[lane] ?? -1) !== -1) lane++;
  lines.hint = lane;
  return lane;
}

function occupy(lines: Lines, lane: number, target: number): void {
  if (lane >= lines.targets.length) {
    const wider = new Int32Array(Math.max(16, lane * 2)).fill(-1);
    wider.set(lines.targets);
    lines.targets = wider;
  }
  lines.targets[lane] = target;
}

/** Takes the lines over one row and decides the lanes of its node and of the lines that begin there. */
function decide(topology: Topology, row: number, laneOf: Int32Array, lines: Lines): void {
  const { rowOf, parentStart, parentCount, parentList } = topology;
  const node = topology.order[row] ?? 0;
  let lane = laneOf[node] ?? -1;
  if (lane < 0 || lines.targets[lane] !== node) {
    lane = firstFree(lines);
    laneOf[node] = lane;
  }
  let own = true;
  const start = parentStart[node] ?? 0;
  const end = start + (parentCount[node] ?? 0);
  for (let at = start; at < end; at++) {
    const parent = parentList[at] ?? 0;
    if ((rowOf[parent] ?? -1) < 0) continue;
    const known = laneOf[parent] ?? -1;
    if (known >= 0 && lines.targets[known] === parent) continue;
    const to = own ? lane : firstFree(lines);
    own = false;
    laneOf[parent] = to;
    occupy(lines, to, parent);
  }
  if (own && lane < lines.targets.length) {
    lines.targets[lane] = -1;
    if (lane < lines.hint) lines.hint = lane;
  }
}

/** Takes the lines over one row whose lanes have been decided. */
function replay(topology: Topology, row: number, laneOf: Int32Array, lines: Lines): void {
  const { rowOf, parentStart, parentCount, parentList } = topology;
  const node = topology.order[row] ?? 0;
  const lane = laneOf[node] ?? 0;
  if (lane < lines.targets.length) lines.targets[lane] = -1;
  const start = parentStart[node] ?? 0;
  const end = start + (parentCount[node] ?? 0);
  for (let at = start; at < end; at++) {
    const parent = parentList[at] ?? 0;
    if ((rowOf[parent] ?? -1) >= 0) occupy(lines, laneOf[parent] ?? 0, parent);
  }
}

/**
 * Lays out all rows, or, with the layout of a previous version of the same graph, only those that a difference
 * between the two reaches. Both ways give the same lanes.
 * @param previous ignored when it belongs to another graph.
 */
export function layoutLanes(topology: Topology, previous?: LaneLayout): LaneLayout {
  if (previous?.topology === topology) return previous;
  const hunks = previous ? rowDifference(previous.topology, topology) : null;
  return previous && hunks ? relayout(previous, topology, hunks) : layoutAll(topology);
}

/** Rows `oldStart…oldEnd` of one version became rows `newStart…newEnd` of the next. Ends are exclusive. */
interface Hunk {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

const isPool = (space: object): space is CommitPool => "edgeChild" in space;

/**
 * The rows that differ between two versions of one graph, top first: rows that went, rows that came, and rows
 * whose parents went or came.
 * @returns null when the two are not comparable: other spaces, or rows that stayed but changed places.
 */
function rowDifference(before: Topology, after: Topology): Hunk[] | null {
  const space = after.space;
  if (before.space !== space || !isPool(space)) return null;
  const hunks: Hunk[] = [];
  const oldCount = before.order.length;
  const newCount = after.order.length;
  const moved: number[] = [];
  let oldRow = 0;
  let newRow = 0;
  while (oldRow < oldCount || newRow < newCount) {
    if (oldRow < oldCount && before.order[oldRow] === after.order[newRow]) {
      oldRow++;
      newRow++;
      continue;
    }
    const oldStart = oldRow;
    const newStart = newRow;
    while (oldRow < oldCount && rowOfNode(after, nodeAt(before, oldRow)) < 0)
      moved.push(nodeAt(before, oldRow++));
    while (newRow < newCount && rowOfNode(before, nodeAt(after, newRow)) < 0)
      moved.push(nodeAt(after, newRow++));
    if (oldRow === oldStart && newRow === newStart) return null;
    hunks.push({ oldStart, oldEnd: oldRow, newStart, newEnd: newRow });
  }
  let touched = false;
  for (const node of moved) {
    for (const child of childNodes(space, node)) {
      const was = rowOfNode(before, child);
      const is = rowOfNode(after, child);
      if (was < 0 || is < 0) continue;
      hunks.push({ oldStart: was, oldEnd: was + 1, newStart: is, newEnd: is + 1 });
      touched = true;
    }
  }
  if (!touched) return hunks;
  hunks.sort((a, b) => a.newStart - b.newStart || a.oldStart - b.oldStart || a.newEnd - b.newEnd);
  return hunks.filter((hunk, at) => {
    const above = hunks[at - 1];
    return (
      !above ||
      hunk.newStart !== above.newStart ||
      hunk.newEnd !== above.newEnd ||
      hunk.oldStart !== above.oldStart
    );
  });
}

function layoutAll(topology: Topology): LaneLayout {
  const laneOf = new Int32Array(topology.rowOf.length).fill(-1);
  const lines: Lines = { targets: new Int32Array(16).fill(-1), hint: 0 };
  const checkpoints: Checkpoint[] = [];
  const count = topology.order.length;
  for (let row = 0; row < count; row++) {
    if (row % checkpointDistance === 0)
      checkpoints.push({ node: nodeAt(topology, row), targets: lines.targets.slice() });
    decide(topology, row, laneOf, lines);
  }
  let population = new Int32Array(lines.targets.length);
  for (let row = 0; row < count; row++)
    population = counted(population, laneOf[topology.order[row] ?? 0] ?? 0, 1);
  return { topology, laneOf, width: widthOf(population), population, checkpoints };
}

function counted(population: Int32Array<ArrayBuffer>, lane: number, by: number): Int32Array<ArrayBuffer> {
  let counts = population;
  if (lane >= counts.length) {
    counts = new Int32Array(lane * 2 + 1);
    counts.set(population);
  }
  counts[lane] = (counts[lane] ?? 0) + by;
  return counts;
}

function widthOf(population: Int32Array): number {
  let width = population.length;
  while (width > 0 && population[width - 1] === 0) width--;
  return width;
}

/** The lines just above a row of a finished layout. */
function linesAbove(layout: LaneLayout, row: number): Lines {
  const { topology, checkpoints } = layout;
  let low = 0;
  let high = checkpoints.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((topology.rowOf[checkpoints[middle]?.node ?? 0] ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  const found = checkpoints[low];
  if (!found) return { targets: new Int32Array(16).fill(-1), hint: 0 };
  const lines = linesOf(found.targets);
  for (let at = topology.rowOf[found.node] ?? 0; at < row; at++) replay(topology, at, layout.laneOf, lines);
  return lines;
}

function sameLines(a: Int32Array, b: Int32Array): boolean {
  const length = Math.max(a.length, b.length);
  for (let lane = 0; lane < length; lane++) if ((a[lane] ?? -1) !== (b[lane] ?? -1)) return false;
  return true;
}

/**
 * From each difference downwards, walks the old and the new rows side by side until the same lines are on their
 * way in both: from there on the old layout holds again.
 */
function relayout(previous: LaneLayout, topology: Topology, hunks: readonly Hunk[]): LaneLayout {
  const before = previous.topology;
  const laneOf = new Int32Array(topology.rowOf.length).fill(-1, previous.laneOf.length);
  laneOf.set(previous.laneOf.subarray(0, laneOf.length));
  let population = previous.population.slice();
  const checkpoints: Checkpoint[] = [];
  let kept = 0;
  let next = 0;
  let oldRow = 0;
  let newRow = 0;
  let sinceCheckpoint = 0;

  for (let hunk = hunks[next]; hunk; hunk = hunks[next]) {
    oldRow = hunk.oldStart;
    newRow = hunk.newStart;
    for (; kept < previous.checkpoints.length; kept++) {
      const checkpoint = previous.checkpoints[kept];
      if (!checkpoint || (before.rowOf[checkpoint.node] ?? 0) >= oldRow) break;
      checkpoints.push(checkpoint);
    }
    const last = checkpoints.at(-1);
    sinceCheckpoint = last ? newRow - (topology.rowOf[last.node] ?? 0) : checkpointDistance;
    const oldLines = linesAbove(previous, oldRow);
    const newLines = linesOf(oldLines.targets);
    let oldEnd = oldRow;
    let newEnd = newRow;
    for (;;) {
      while (next < hunks.length && hunks[next]?.newStart === newRow && hunks[next]?.oldStart === oldRow) {
        oldEnd = hunks[next]?.oldEnd ?? oldEnd;
        newEnd = hunks[next]?.newEnd ?? newEnd;
        next++;
        walk(oldEnd, newEnd, oldLines, newLines);
      }
      const finished = oldRow >= before.order.length && newRow >= topology.order.length;
      if (finished || sameLines(oldLines.targets, newLines.targets)) break;
      walk(oldRow + 1, newRow + 1, oldLines, newLines);
    }
    while (kept < previous.checkpoints.length) {
      if ((before.rowOf[previous.checkpoints[kept]?.node ?? 0] ?? 0) >= oldRow) break;
      kept++;
    }
  }
  for (; kept < previous.checkpoints.length; kept++) {
    const checkpoint = previous.checkpoints[kept];
    if (checkpoint) checkpoints.push(checkpoint);
  }
  return { topology, laneOf, width: widthOf(population), population, checkpoints };

  function walk(oldEnd: number, newEnd: number, oldLines: Lines, newLines: Lines): void {
    for (; oldRow < oldEnd; oldRow++) {
      population = counted(population, previous.laneOf[nodeAt(before, oldRow)] ?? 0, -1);
      replay(before, oldRow, previous.laneOf, oldLines);
    }
    for (; newRow < newEnd; newRow++) {
      if (sinceCheckpoint >= checkpointDistance) {
        checkpoints.push({ node: nodeAt(topology, newRow), targets: newLines.targets.slice() });
        sinceCheckpoint = 0;
      }
      sinceCheckpoint++;
      decide(topology, newRow, laneOf, newLines);
      population = counted(population, laneOf[nodeAt(topology, newRow)] ?? 0, 1);
    }
  }
}

/**
 * What the rows from `first` up to, not including, `end` draw. Costs what these rows weigh, wherever they are.
 * @param first first row, 0 or more.
 * @param end row after the last one; rows beyond the graph are left out.
 */
export function laneRows(layout: LaneLayout, first: number, end: number): LaneRow[] {
  const { topology, laneOf } = layout;
  const rows: LaneRow[] = [];
  const stop = Math.min(end, topology.order.length);
  if (first >= stop) return rows;
  const lines = linesAbove(layout, first);
  for (let row = first; row < stop; row++) {
    const node = nodeAt(topology, row);
    const lane = laneOf[node] ?? 0;
    const through: number[] = [];
    for (let at = 0; at < lines.targets.length; at++) {
      const target = lines.targets[at];
      if (target !== -1 && target !== node) through.push(at);
    }
    rows.push({
      lane,
      fromAbove: lines.targets[lane] === node,
      through,
      edges: parentRows(topology, row).map((parent) => ({
        to: laneOf[nodeAt(topology, parent)] ?? 0,
        parent,
      })),
      elided: hiddenParents(topology, row),
    });
    replay(topology, row, laneOf, lines);
  }
  return rows;
}
