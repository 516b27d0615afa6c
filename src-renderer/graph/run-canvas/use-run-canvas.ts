import { startTransition, useDeferredValue, useEffect, useMemo, useState } from "react";
import type { Room } from "#shared/graph/run-canvas/canvas-input.ts";
import { layOutRun } from "#shared/graph/run-canvas/layout.ts";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { withPending } from "../../features/queue/queue-bands.ts";
import { useQueue } from "../../features/queue/queue-store.ts";
import { useGraph } from "../../state/graph-store.ts";
import { useHost } from "../../state/host-store.ts";
import { useReplay } from "../../state/replay-store.ts";
import { useGraphView, useSelection } from "../../state/selection-store.ts";
import { keepShared } from "../../state/structural-sharing.ts";
import { useTimeline } from "../../state/timeline.ts";
import { useCanvasView } from "./canvas-view-store.ts";
import { type RunFacts, runFacts } from "./run-canvas-input.ts";

/** Often enough for a line that grows by a few px a minute. */
const tickMs = 1_000;

/** The run that the canvas shows, in the shape that it is laid out from; null: there is none with an approved plan. */
export function useRunFacts(): RunFacts | null {
  const run = useHost((state) => state.run);
  const inbox = useHost((state) => state.inbox);
  const all = useGraph((state) => state.graph?.changes ?? null);
  const pending = useQueue((state) => state.pending);
  const changes = useMemo(
    () =>
      new Map(
        withPending(all ?? [], pending)
          .filter(({ metadata }) => metadata.kind === "task" || metadata.priority !== undefined)
          .map((change) => [change.changeId, change]),
      ),
    [all, pending],
  );
  // Words stream in many times a second, and nothing of the canvas follows from them.
  const [share] = useState(() => keepShared<RunFacts | null>());
  return useMemo(() => share(run && runFacts(run, inbox, changes)), [share, run, inbox, changes]);
}

/** Whether the graph shows a run along time. */
export const useIsRunCanvas = (): boolean => {
  const view = useGraphView();
  const isShown = useSelection(({ shownRun }) => shownRun !== null);
  const hasPlan = useHost(({ run }) => run?.planApproved === true && run.plan !== null);
  return view === "canvas" && isShown && hasPlan;
};

/** @returns null until the size of the panel is known */
export function useRunCanvas(latest: RunFacts, room: Room | null): RunCanvas | null {
  const facts = useDeferredValue(latest);
  const timeline = useDeferredValue(useTimeline());
  const replayed = useReplay((state) => (state.view === null ? null : state.at));
  const clock = useClock(timeline?.endedAt === null && replayed === null);
  const now = replayed ?? clock;
  const { window, isFollowingNow, folded } = useCanvasView();
  const [share] = useState(() => keepShared<RunCanvas>());
  return useMemo(() => {
    if (room === null) return null;
    return share(layOutRun({ ...facts, timeline, now, room, window, isFollowingNow, folded }));
  }, [share, facts, timeline, now, room, window, isFollowingNow, folded]);
}

/** The time, updated every second while the run is active. */
function useClock(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => startTransition(() => setNow(Date.now())), tickMs);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
