import { parentRows, type Topology } from "../change-graph.ts";

/** True when every shown parent stands below its child, looked at row by row. */
export function isTopological(topology: Topology): boolean {
  for (let row = 0; row < topology.order.length; row++)
    if (parentRows(topology, row).some((parent) => parent <= row)) return false;
  return true;
}
