import {
  ChevronFirst,
  ChevronLast,
  ChevronLeft,
  ChevronRight,
  GitCompare,
  History,
  Pause,
  Play,
  RotateCcw,
} from "lucide-react";
import { memo, useEffect, useMemo, useState } from "react";
import type { ReplayMoment, ReplayView } from "#shared/contract/commands/replay.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { drawnTime } from "#shared/domain/timeline/time-spans.ts";
import { useIsRunCanvas } from "../../graph/run-canvas/run-canvas-input.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { useSeconds } from "../../kit/relative-time.tsx";
import { useConnection } from "../../state/connection.ts";
import { useHost, useTimeline } from "../../state/host-store.ts";
import {
  endReplay,
  goToEdge,
  markMoment,
  paces,
  seek,
  setPace,
  step,
  togglePlaying,
} from "../../state/replay.ts";
import { useReplay } from "../../state/replay-store.ts";
import { barsOf, clockTime, densityByActor, type TrackTime } from "./actor-density.ts";
import { ComparedMoments } from "./compared-moments.tsx";
import { lookBack, stepBack, useLookBack } from "./look-back.ts";
import { replayRun } from "./replay-actions.ts";
import { openRestore } from "./restore-dialog.tsx";
import { densityParts, MarkLegend, momentText, TimeTrack } from "./time-track.tsx";
import { useRunOperations } from "./use-operation-subjects.ts";

const tones: Readonly<Record<ReplayMoment["tone"], string>> = {
  stage: "bg-accent",
  work: "bg-faint",
  decision: "bg-info",
  user: "bg-warning",
  trouble: "bg-danger",
};

/** The time shown: of a replay, or of the active run from its start to now. */
interface ShownTime {
  readonly run: string;
  readonly from: number;
  readonly to: number;
  /** Null: now is shown. */
  readonly view: ReplayView | null;
}

/** The time of a run: how much happened when, the current moment, and the way back to now. */
export function TimeBar() {
  const view = useReplay((state) => state.view);
  const run = useHost((state) => (state.run?.planApproved ? state.run.id : null));
  const from = useHost((state) => state.run?.startedAt ?? 0);
  // Recent runs have no time of their own.
  const isCanvas = useIsRunCanvas();
  const endedAt = useHost((state) => state.run?.endedAt ?? null);
  // Nothing happens that this window would know of.
  const isCut = useConnection(({ connection }) => connection.kind === "lost");
  const now = useSeconds(view === null && run !== null && isCanvas && endedAt === null && !isCut);
  // One element for both, so that a drag from now into the past continues.
  const shown: ShownTime | null = view
    ? { run: view.run, from: view.from, to: view.to, view }
    : run !== null && isCanvas
      ? { run, from, to: Math.max(from + 1, endedAt ?? now), view: null }
      : null;
  return shown && <Bar {...shown} />;
}

function Bar({ run, from, to, view }: ShownTime) {
  const { at: replayed, hasGraph, marked } = useReplay();
  const wanted = useLookBack((state) => state.wanted);
  const at = view ? replayed : Math.min(to, wanted ?? to);
  const last = useMemo(() => view?.moments.findLast((moment) => moment.at <= replayed), [view, replayed]);
  const words = view ? momentText(last) : "now";
  const shown = useTrackTime(view, from, to);
  const { operations } = useRunOperations(view?.file == null ? run : null, from, view ? to : null);
  const bars = useMemo(
    () =>
      operations.length === 0 && view
        ? barsOf(view.density, densityParts)
        : densityByActor(operations, shown, densityParts),
    [operations, view, shown],
  );
  return (
    <section
      aria-label={view ? "Replay" : "Time of the run"}
      className={cx(
        "shrink-0",
        view ? "border-t-2 border-accent bg-accent-soft" : "border-t bg-surface pt-px",
      )}
    >
      {view && marked !== null && <ComparedMoments view={view} marked={marked} at={at} />}
      <div className="flex h-10 items-center gap-1 px-2">
        <Controls run={run} isLive={view === null} />
        <span className="shrink-0 px-1 text-sm tabular-nums" data-testid="replay-time">
          {clockTime(at - from)}
          <span className="text-muted"> / {clockTime(to - from)}</span>
        </span>
        <TimeTrack
          label={view ? "Time of the replay" : "Time of the run"}
          {...{ shown, at, words, bars, view, marked }}
          onGo={(moment) => (view ? seek(moment) : void lookBack(run, moment))}
          onStep={(way) => {
            if (view) step(way);
            else if (way === -1) void stepBack(run);
          }}
        />
      </div>
      {view ? (
        <div className="flex h-8 items-center gap-3 px-3 pb-1.5 text-sm">
          <span className="flex shrink-0 items-center gap-1.5 font-medium text-accent-text">
            <History size={13} aria-hidden />
            {isOver(view) ? "Recording" : "Earlier state"}
          </span>
          <Moment last={last} />
          {!hasGraph && (
            <span className="shrink-0 text-warning">The graph of this moment was not recorded</span>
          )}
          <MarkLegend view={view} />
          <PastControls view={view} marked={marked} at={at} />
        </div>
      ) : (
        // As high as what is there in a replay, so that the track stays under the pointer; in a low window it goes.
        <p className="h-8 truncate px-3 pt-1 text-sm text-muted [@media(max-height:760px)]:hidden">
          {operations.length.toLocaleString()} operations by {participants(operations)}. Drag to see an
          earlier state.
        </p>
      )}
      <Spoken words={view ? words : ""} />
    </section>
  );
}

/** Breaks are drawn as short as on the canvas. */
function useTrackTime(view: ReplayView | null, from: number, to: number): TrackTime {
  const live = useTimeline()?.breaks;
  const breaks = view ? view.breaks : live;
  const time = useMemo(() => drawnTime(breaks ?? [], from), [breaks, from]);
  return useMemo(() => ({ ...time, from, to }), [time, from, to]);
}

interface PastProps {
  readonly view: ReplayView;
  readonly marked: number | null;
  readonly at: number;
}

/** What can be done with a moment that is shown; below the track, which is as long while now is shown. */
function PastControls({ view, marked, at }: PastProps) {
  return (
    <div className="flex shrink-0 items-center gap-1">
      <Pace />
      <Button
        look="ghost"
        size="sm"
        aria-pressed={marked !== null}
        title="Compare other moments with this one (Alt+M)"
        onClick={() => markMoment(marked === null ? at : null)}
      >
        <GitCompare size={13} aria-hidden /> <span className="max-[1100px]:sr-only">Compare</span>
      </Button>
      {view.file === null && (
        <IconButton
          label="Restore everything to this moment…"
          icon={<RotateCcw size={13} />}
          onClick={() => openRestore(at)}
          className="size-6"
        />
      )}
      <Button look="primary" size="sm" onClick={endReplay}>
        Back to now
      </Button>
    </div>
  );
}

const isOver = ({ stage }: ReplayView): boolean =>
  stage === "complete" || stage === "failed" || stage === "stopped";

function participants(operations: readonly { readonly actor: string }[]): string {
  return counted(new Set(operations.map(({ actor }) => actor)).size, "participant");
}

function Moment({ last }: { readonly last: ReplayMoment | undefined }) {
  return (
    <p className="flex min-w-0 flex-1 items-center gap-2" data-testid="replay-moment">
      {last && (
        <>
          <span aria-hidden className={cx("size-2 shrink-0 rounded-full", tones[last.tone])} />
          <span className="min-w-0 truncate">
            <span className="font-medium">{shownLine(last.who ?? "the run")}</span> {shownLine(last.text)}
          </span>
        </>
      )}
    </p>
  );
}

interface ControlsProps {
  readonly run: string;
  /** Now is shown: every one of them leads into the past. */
  readonly isLive: boolean;
}

const Controls = memo(function Controls({ run, isLive }: ControlsProps) {
  const isPlaying = useReplay((state) => state.isPlaying);
  const toEdge = (edge: "from" | "to") => () => (isLive ? void lookBack(run, 0) : goToEdge(edge));
  return (
    <>
      <IconButton
        label={isPlaying ? "Pause the replay" : isLive ? "Replay the run" : "Play the replay"}
        {...(isLive ? {} : { keys: "space" })}
        icon={isPlaying ? <Pause size={15} /> : <Play size={15} />}
        onClick={() => (isLive ? void replayRun(run) : togglePlaying())}
      />
      <IconButton
        label="Go to the beginning"
        {...(isLive ? {} : { keys: "alt+b" })}
        icon={<ChevronFirst size={15} />}
        onClick={toEdge("from")}
      />
      <IconButton
        label="Previous moment"
        keys="alt+,"
        icon={<ChevronLeft size={15} />}
        onClick={() => (isLive ? void stepBack(run) : step(-1))}
      />
      <IconButton
        label="Next moment"
        {...(isLive ? {} : { keys: "alt+." })}
        icon={<ChevronRight size={15} />}
        disabled={isLive}
        onClick={() => step(1)}
      />
      <IconButton
        label="Go to the end"
        {...(isLive ? {} : { keys: "alt+n" })}
        icon={<ChevronLast size={15} />}
        disabled={isLive}
        onClick={toEdge("to")}
      />
    </>
  );
});

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

/** For screen readers: the moment that was chosen, once the slider rests. */
function Spoken({ words }: { readonly words: string }) {
  const isPlaying = useReplay((state) => state.isPlaying);
  const [announcement, setAnnouncement] = useState("");
  useEffect(() => {
    if (isPlaying) return;
    const timer = setTimeout(() => setAnnouncement(words), spokenAfterMs);
    return () => clearTimeout(timer);
  }, [words, isPlaying]);
  return (
    <p role="status" aria-label="Moment of the replay" className="sr-only">
      {announcement}
    </p>
  );
}
