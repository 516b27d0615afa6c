import { ChevronLeft, ChevronRight, Pause, Play } from "lucide-react";
import { useMemo } from "react";
import type { ReplayMoment, ReplayView } from "#shared/contract/views/replay.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { endReplay, paces, seek, setPace, step, togglePlaying } from "../../state/replay.ts";
import { useReplay } from "../../state/replay-store.ts";
import { clockTime } from "./clock-time.ts";

const tones: Readonly<Record<ReplayMoment["tone"], string>> = {
  course: "bg-accent",
  work: "bg-faint",
  decision: "bg-info",
  person: "bg-warning",
  trouble: "bg-danger",
};

/** The time of a recorded run: how much happened when, where it stands, and the way back to now. */
export function ReplayBar() {
  const view = useReplay((state) => state.view);
  return view && <Bar view={view} />;
}

function Bar({ view }: { readonly view: ReplayView }) {
  const { at, isPlaying, pace, hasGraph } = useReplay();
  const last = useMemo(() => view.moments.findLast((moment) => moment.at <= at), [view, at]);
  return (
    <section aria-label="Replay" className="shrink-0 border-t-2 border-accent bg-accent-soft">
      <div className="flex h-9 items-center gap-1.5 px-2">
        <IconButton
          label={isPlaying ? "Pause the replay" : "Play the replay"}
          keys="space"
          icon={isPlaying ? <Pause size={15} /> : <Play size={15} />}
          onClick={togglePlaying}
        />
        <IconButton
          label="Moment before"
          keys="alt+,"
          icon={<ChevronLeft size={15} />}
          onClick={() => step(-1)}
        />
        <IconButton
          label="Next moment"
          keys="alt+."
          icon={<ChevronRight size={15} />}
          onClick={() => step(1)}
        />
        <span className="shrink-0 text-sm tabular-nums" data-testid="replay-time">
          {clockTime(at - view.from)}
          <span className="text-muted"> / {clockTime(view.to - view.from)}</span>
        </span>
        <Track view={view} at={at} />
        <label className="flex shrink-0 items-center gap-1 text-sm text-muted">
          <span className="max-[1100px]:sr-only">Pace</span>
          <select
            value={pace}
            onChange={(event) => setPace(Number(event.target.value))}
            className="h-6 rounded-md border border-line-strong bg-surface px-1 text-sm text-text"
          >
            {paces.map((one) => (
              <option key={one} value={one}>
                {one}×
              </option>
            ))}
          </select>
        </label>
        <Button look="primary" size="sm" onClick={endReplay}>
          Back to now
        </Button>
      </div>
      <p className="flex h-6 items-center gap-2 truncate px-3 pb-1 text-sm">
        {last && <span aria-hidden className={cx("size-2 shrink-0 rounded-full", tones[last.tone])} />}
        <span className="min-w-0 truncate">
          {last && (
            <>
              <span className="font-medium">{shownLine(last.who ?? "the run")}</span> {shownLine(last.text)}
            </>
          )}
        </span>
        <span className="flex-1" />
        {!hasGraph && <span className="shrink-0 text-warning">The graph of this moment is not kept</span>}
      </p>
    </section>
  );
}

const height = 22;

/** The density of what happened, with a handle over it that keyboards and screen readers know. */
function Track({ view, at }: { readonly view: ReplayView; readonly at: number }) {
  const most = Math.max(1, ...view.density);
  const done = (at - view.from) / Math.max(1, view.to - view.from);
  return (
    <div className="relative h-6 min-w-24 flex-1">
      <svg
        aria-hidden="true"
        className="absolute inset-0 size-full"
        preserveAspectRatio="none"
        viewBox={`0 0 ${view.density.length} ${height}`}
      >
        {view.density.map((count, part) => {
          const tall = count === 0 ? 1 : 2 + (height - 4) * Math.sqrt(count / most);
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a part of the time has no other name
              key={part}
              x={part}
              y={height - tall}
              width={0.7}
              height={tall}
              className={part / view.density.length <= done ? "fill-accent" : "fill-line-strong"}
            />
          );
        })}
      </svg>
      <input
        type="range"
        aria-label="Time of the replay"
        aria-valuetext={`${clockTime(at - view.from)} of ${clockTime(view.to - view.from)}`}
        min={view.from}
        max={view.to}
        step={Math.max(1, Math.round((view.to - view.from) / 1_000))}
        value={at}
        onChange={(event) => seek(Number(event.target.value))}
        className="absolute inset-0 size-full cursor-ew-resize appearance-none bg-transparent [&::-webkit-slider-thumb]:h-6 [&::-webkit-slider-thumb]:w-1 [&::-webkit-slider-thumb]:appearance-none [&::-webkit-slider-thumb]:rounded-sm [&::-webkit-slider-thumb]:bg-accent-strong"
      />
    </div>
  );
}
