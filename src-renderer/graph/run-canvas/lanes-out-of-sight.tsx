import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import type { Room } from "#shared/graph/run-canvas/canvas-input.ts";
import type { CanvasRow, RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { cx } from "../../kit/class-names.ts";
import { scrollRowsTo } from "./canvas-view-store.ts";
import { farthestScroll } from "./farthest-scroll.ts";

interface LanesOutOfSightProps {
  readonly canvas: RunCanvas;
  readonly room: Room;
  readonly scroll: number;
}

/** Lanes above and below what is seen, and whether a card waits at one of them; beside their names, and a click leads there. */
export function LanesOutOfSight({ canvas, room, scroll }: LanesOutOfSightProps) {
  const above = canvas.rows.filter(({ y, height }) => y + height / 2 < canvas.rowsTop + scroll);
  const below = canvas.rows.filter(({ y, height }) => y + height / 2 > room.height + scroll);
  const waits = new Set(canvas.bubbles.map(({ row }) => row));
  const chip = (rows: readonly CanvasRow[], side: "above" | "below"): ReactNode => {
    const first = side === "above" ? rows.at(-1) : rows[0];
    if (!first) return null;
    const asking = rows.filter(({ id }) => waits.has(id));
    const target = asking[0] ?? first;
    return (
      <button
        type="button"
        tabIndex={-1}
        data-out-of-sight={side}
        onClick={() =>
          scrollRowsTo(
            target.y + target.height / 2 - (canvas.rowsTop + room.height) / 2,
            farthestScroll(canvas, room),
          )
        }
        className={cx(
          "absolute z-20 flex items-center gap-1 rounded-full border bg-raised px-2 text-xs leading-5 shadow-pop",
          asking.length > 0 ? "border-warning text-warning" : "text-muted",
          side === "below" && "bottom-2",
        )}
        style={{ left: canvas.columns.margin + 8, ...(side === "above" ? { top: canvas.rowsTop + 4 } : {}) }}
      >
        {side === "above" ? <ArrowUp size={12} aria-hidden /> : <ArrowDown size={12} aria-hidden />}
        {rows.length} more {side}
        {asking.length > 0 && ` · ${asking.length === 1 ? "1 waits" : `${asking.length} wait`}`}
      </button>
    );
  };
  return (
    <>
      {chip(above, "above")}
      {chip(below, "below")}
    </>
  );
}
