/** Time in which no one worked on a run: drawn shortened, with its length as text. */
import { CloudOff, Hourglass, Moon, Pause } from "lucide-react";
import { labelsHeight, spineY } from "#shared/graph/run-canvas/canvas-columns.ts";
import type { CanvasBreak, RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { duration } from "../../kit/amounts.ts";
import { cx } from "../../kit/class-names.ts";

const signs = { away: Moon, paused: Pause, provider: CloudOff, waits: Hourglass } as const;
const words: Readonly<Record<CanvasBreak["why"], string>> = {
  away: "Hox was closed",
  paused: "the run was paused",
  provider: "no work: the provider’s limit was reached, or it did not respond",
  waits: "no work: all agents waited for you",
};

interface BreaksProps {
  readonly canvas: Pick<RunCanvas, "breaks">;
}

export const breakLook =
  "border-x border-dashed border-line-strong/60 bg-[repeating-linear-gradient(135deg,transparent_0_5px,var(--line)_5px_6px)]";

/** Behind the lanes: time does not pass here as it does beside it. */
export const BreakBands = ({ canvas: { breaks } }: BreaksProps) =>
  breaks.map(({ from, to }, nth) => (
    <i
      // biome-ignore lint/suspicious/noArrayIndexKey: none comes before another
      key={nth}
      aria-hidden
      data-break
      className={cx("canvas-move pointer-events-none absolute bottom-0", breakLook)}
      style={{ top: labelsHeight, left: from, width: to - from }}
    />
  ));

/** px below the spine, in the room that its row has there */
const belowSpine = 6;

/** Below the spine: how long each was. */
export const BreakLengths = ({ canvas: { breaks } }: BreaksProps) =>
  breaks.map(({ from, to, why, ms, isOpen }, nth) => {
    const Sign = signs[why];
    return (
      <p
        // biome-ignore lint/suspicious/noArrayIndexKey: none comes before another
        key={nth}
        data-break-length
        title={`${duration(ms)} ${isOpen ? "so far, " : ""}${words[why]}`}
        className="canvas-move absolute flex h-[18px] -translate-x-1/2 items-center gap-1 rounded-full border bg-surface px-1.5 text-xs whitespace-nowrap text-muted"
        style={{ top: spineY + belowSpine, left: (from + to) / 2 }}
      >
        <Sign size={11} aria-hidden />
        {duration(ms)}
        <span className="sr-only">
          {isOpen ? " so far, " : " "}
          {words[why]}
        </span>
      </p>
    );
  });
