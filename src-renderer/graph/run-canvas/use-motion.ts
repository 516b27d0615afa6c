import { useEffect, useMemo, useState } from "react";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { useCanvasView } from "./canvas-view-store.ts";

/** ms: longer than what moves takes to get there. */
const moveMs = 240;

/** Maximum number of marks and lines that glide at once: each is drawn separately in every frame of 16 ms. */
const maxAnimatedNodes = 200;

/**
 * How things move to new positions. `still`: they jump. `fades`: there are too many to glide, so they jump and the whole
 * canvas fades in.
 */
export type Motion = "glides" | "fades" | "still";

/** Positions apart from what a passing second moves, and the view the user chose. One object for each. */
interface Places {
  /** Empty: nothing is laid out yet. */
  readonly order: string;
}

/**
 * Things glide when more changes places than time takes along: lanes come, go and grow, or a user looks at another time.
 * What a passing second moves by a px or two is there at once.
 */
export function useMotion(canvas: RunCanvas | null): Motion {
  const { window, folded } = useCanvasView();
  const order = canvas === null ? "" : orderOf(canvas);
  // One object for each order and view: another one is a move.
  const places = useMemo(() => ({ order, window, folded }), [order, window, folded]);
  const [reached, setReached] = useState(places);
  useEffect(() => {
    const timer = setTimeout(() => setReached(places), moveMs);
    return () => clearTimeout(timer);
  }, [places]);
  return canvas === null ? "still" : motionBetween(reached, places, thingsOn(canvas));
}

/** @param things how many marks and lines have to get from one to the other */
export function motionBetween(before: Places, now: Places, things: number): Motion {
  if (before === now || before.order === "") return "still";
  if (things <= maxAnimatedNodes) return "glides";
  // A user who moves time has it at their hand.
  return before.order === now.order ? "still" : "fades";
}

/** How many marks and lines there are to be moved. */
const thingsOn = ({ rows, links, messages }: RunCanvas): number =>
  rows.reduce((sum, { marks, stretches }) => sum + 2 + marks.length + stretches.length, 0) +
  links.length +
  messages.length;

/** Everything whose position does not depend on the clock. */
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
