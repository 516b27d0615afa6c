/** Widths of the side panels: dragged or moved by arrows, kept by the host. */
import { useCallback, useRef, useState } from "react";
import { cx } from "../kit/class-names.ts";
import { type KeyTable, takeKey } from "../kit/key-table.ts";
import { keepPane, preferences } from "../state/preferences.ts";

export interface PaneLimits {
  readonly name: string;
  readonly initial: number;
  readonly least: number;
  readonly most: number;
}

/** Keeps a size inside its limits. */
const within = (size: number, { least, most }: Pick<PaneLimits, "least" | "most">): number =>
  Math.round(Math.min(most, Math.max(least, size)));

export function usePaneSize(limits: PaneLimits): readonly [number, (size: number) => void] {
  const [size, setSize] = useState(() => within(preferences().panes[limits.name] ?? limits.initial, limits));
  const change = useCallback(
    (next: number) => {
      const kept = within(next, limits);
      setSize(kept);
      keepPane(limits.name, kept);
    },
    [limits],
  );
  return [size, change];
}

interface ResizerProps {
  readonly label: string;
  readonly limits: PaneLimits;
  readonly size: number;
  readonly onSize: (size: number) => void;
  /** The side of the panel on which this handle sits. */
  readonly edge: "left" | "right" | "top";
}

const arrowStep = 16;

export const edgeKeys: KeyTable<(by: -1 | 1) => void> = {
  place: "Panel edges",
  rows: [
    { keys: "ArrowLeft", also: ["ArrowUp"], what: "move the edge left, or up", run: (move) => move(-1) },
    { keys: "ArrowRight", also: ["ArrowDown"], what: "move the edge right, or down", run: (move) => move(1) },
  ],
};

export function Resizer({ label, limits, size, onSize, edge }: ResizerProps) {
  const from = useRef<{ readonly at: number; readonly size: number } | null>(null);
  const upright = edge !== "top";
  const grows = edge === "right" ? 1 : -1;
  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML has no element for a separator that moves
    <div
      role="separator"
      aria-label={label}
      aria-orientation={upright ? "vertical" : "horizontal"}
      aria-valuenow={size}
      aria-valuemin={limits.least}
      aria-valuemax={limits.most}
      tabIndex={0}
      className={cx(
        "group relative z-10 shrink-0 bg-line outline-none",
        upright ? "w-px cursor-col-resize" : "h-px cursor-row-resize",
      )}
      onKeyDown={(event) => takeKey(edgeKeys, event, (by) => onSize(size + by * grows * arrowStep))}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { at: upright ? event.clientX : event.clientY, size };
      }}
      onPointerMove={(event) => {
        if (!from.current) return;
        const now = upright ? event.clientX : event.clientY;
        onSize(from.current.size + (now - from.current.at) * grows);
      }}
      onPointerUp={() => {
        from.current = null;
      }}
      onDoubleClick={() => onSize(limits.initial)}
    >
      <span
        className={cx(
          "absolute transition-colors duration-150 group-hover:bg-accent group-focus-visible:bg-accent",
          upright ? "inset-y-0 -left-[2px] w-[5px]" : "inset-x-0 -top-[2px] h-[5px]",
        )}
      />
    </div>
  );
}
