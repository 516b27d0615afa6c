/** Rows of lanes by chunks, each computed once for a layout, so that scrolling gives every row the same object. */
import type { LaneLayout, LaneRow } from "#shared/graph/lanes.ts";
import { laneRows } from "#shared/graph/lanes.ts";

const chunkRows = 64;
const chunksOf = new WeakMap<LaneLayout, Map<number, readonly LaneRow[]>>();

export function laneRowAt(layout: LaneLayout, row: number): LaneRow | undefined {
  const chunks = chunksOf.get(layout) ?? new Map<number, readonly LaneRow[]>();
  if (chunks.size === 0) chunksOf.set(layout, chunks);
  const number = Math.floor(row / chunkRows);
  let chunk = chunks.get(number);
  if (!chunk) {
    chunk = laneRows(layout, number * chunkRows, (number + 1) * chunkRows);
    chunks.set(number, chunk);
  }
  return chunk[row - number * chunkRows];
}
