import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight, History, Pause, Play } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { ReplayMoment, ReplayView } from "#shared/contract/views/replay.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { endReplay, goToEdge, paces, setPace, step, togglePlaying } from "../../state/replay.ts";
import { useReplay } from "../../state/replay-store.ts";
import { clockTime } from "./clock-time.ts";
import { MarkLegend, momentText, ReplayTrack } from "./replay-track.tsx";

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
  const { at, hasGraph } = useReplay();
  const last = useMemo(() => view.moments.findLast((moment) => moment.at <= at), [view, at]);
  const words = momentText(last);
  return (
    <section aria-label="Replay" className="shrink-0 border-t-2 border-accent bg-accent-soft">
      <div className="flex h-10 items-center gap-1 px-2">
        <Controls />
        <span className="shrink-0 px-1 text-sm tabular-nums" data-testid="replay-time">
          {clockTime(at - view.from)}
          <span className="text-muted"> / {clockTime(view.to - view.from)}</span>
        </span>
        <ReplayTrack view={view} at={at} words={words} />
        <Pace />
        <Button look="primary" size="sm" onClick={endReplay}>
          Back to now
        </Button>
      </div>
      <div className="flex h-6 items-center gap-3 px-3 pb-1 text-sm">
        <span className="flex shrink-0 items-center gap-1.5 font-medium text-accent-text">
          <History size={13} aria-hidden />
          Recording
        </span>
        <p className="flex min-w-0 flex-1 items-center gap-2" data-testid="replay-moment">
          {last && <span aria-hidden className={cx("size-2 shrink-0 rounded-full", tones[last.tone])} />}
          <span className="min-w-0 truncate">
            {last && (
              <>
                <span className="font-medium">{shownLine(last.who ?? "the run")}</span> {shownLine(last.text)}
              </>
            )}
          </span>
        </p>
        {!hasGraph && <span className="shrink-0 text-warning">The graph of this moment is not kept</span>}
        <MarkLegend view={view} />
      </div>
      <Spoken words={words} />
    </section>
  );
}

function Controls() {
  const isPlaying = useReplay((state) => state.isPlaying);
  return (
    <>
      <IconButton
        label={isPlaying ? "Pause the replay" : "Play the replay"}
        keys="space"
        icon={isPlaying ? <Pause size={15} /> : <Play size={15} />}
        onClick={togglePlaying}
      />
      <IconButton
        label="To the beginning"
        keys="alt+b"
        icon={<ChevronFirst size={15} />}
        onClick={() => goToEdge("from")}
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
      <IconButton
        label="To the end"
        keys="alt+n"
        icon={<ChevronLast size={15} />}
        onClick={() => goToEdge("to")}
      />
    </>
  );
}

function Pace() {
  const pace = useReplay((state) => state.pace);
  return (
    <label className="flex shrink-0 items-center gap-1 px-1 text-sm text-muted">
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
  );
}

/** Time enough to hear a moment; one that is passed over is not said. */
const spokenAfterMs = 400;

/** For whoever does not see the graph: the moment at which it came to rest. */
function Spoken({ words }: { readonly words: string }) {
  const isPlaying = useReplay((state) => state.isPlaying);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (isPlaying) return;
    const timer = setTimeout(() => setSaid(words), spokenAfterMs);
    return () => clearTimeout(timer);
  }, [words, isPlaying]);
  return (
    <p role="status" aria-label="Moment of the replay" className="sr-only">
      {said}
    </p>
  );
}
