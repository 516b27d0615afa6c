import { useEffect, useMemo, useState } from "react";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { useCanvasView } from "./canvas-view-store.ts";

/** ms: longer than what moves takes to get there. */
const moveMs = 240;

/**
 * Whether more changes places than time takes along: lanes come, go and grow, or a person looks at another time. What a
 * passing second moves by a px or two is there at once: to glide, each mark and line needs a drawing of its own in every
 * frame, and there are hundreds.
 */
export function useMoves(canvas: RunCanvas | null): boolean {
  const { window, folded } = useCanvasView();
  const order = canvas === null ? "" : orderOf(canvas);
  // One object for each order and view: another one is a move.
  const places = useMemo(() => ({ order, window, folded }), [order, window, folded]);
  const [reached, setReached] = useState(places);
  useEffect(() => {
    const timer = setTimeout(() => setReached(places), moveMs);
    return () => clearTimeout(timer);
  }, [places]);
  return reached !== places;
}

/** Where everything stands that a passing second does not move. */
const orderOf = ({ rows, columns, whole }: RunCanvas): string =>
  JSON.stringify([
    // It grows in steps, and then everything moves at once.
    whole.to - whole.from,
    columns.margin,
    columns.start,
    columns.end,
    columns.contracts,
    rows.map(({ id, y, height }) => [id, y, height]),
  ]);
