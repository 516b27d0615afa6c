import { contractsPart, integrationPart, type PlanPart } from "../plan-layout.ts";
import type { PlanCanvas } from "./plan-canvas.ts";
import type { PlannedRow } from "./planned-row.ts";

/** Every part as it is read: contracts, the lanes from top to bottom, and where they come together. */
export const partsOf = ({ columns, rows }: Pick<PlanCanvas, "columns" | "rows">): readonly PlanPart[] => [
  ...(columns.contracts ? [contractsPart] : []),
  ...rows.map(({ part }) => part),
  ...(columns.integrate ? [integrationPart] : []),
];

const nearest = (rows: readonly PlannedRow[], y: number): PlannedRow | undefined =>
  [...rows].sort((a, b) => Math.abs(a.y - y) - Math.abs(b.y - y))[0];

/** The next row along time on one side: the nearest column, and there the nearest lane. */
function along(rows: readonly PlannedRow[], from: PlannedRow, by: 1 | -1): PlannedRow | undefined {
  const there = rows.filter(({ box }) => (box.x - from.box.x) * by > 0);
  const x = Math.min(...there.map(({ box }) => box.x * by)) * by;
  return nearest(
    there.filter(({ box }) => box.x === x),
    from.y,
  );
}

/** The part that a key leads to: up and down by lanes, left and right along time. Null: nowhere. */
export function walkPlanCanvas(canvas: PlanCanvas, part: PlanPart, key: string): PlanPart | null {
  const parts = partsOf(canvas);
  const { rows } = canvas;
  const row = rows.find((one) => one.part === part);
  switch (key) {
    case "ArrowUp":
      return parts[parts.indexOf(part) - 1] ?? null;
    case "ArrowDown":
      return parts[parts.indexOf(part) + 1] ?? null;
    case "ArrowRight":
      if (!row) return part === contractsPart ? (parts[1] ?? null) : null;
      return along(rows, row, 1)?.part ?? (canvas.columns.integrate ? integrationPart : null);
    case "ArrowLeft":
      if (!row) return part === integrationPart ? (rows.at(-1)?.part ?? null) : null;
      return along(rows, row, -1)?.part ?? (canvas.columns.contracts ? contractsPart : null);
    case "Home":
      return rows[0]?.part ?? parts[0] ?? null;
    case "End":
      return rows.at(-1)?.part ?? parts.at(-1) ?? null;
    default:
      return null;
  }
}
