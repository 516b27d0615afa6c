import { GitGraph, List, Network } from "lucide-react";
import { memo, useEffect, useRef, useState } from "react";
import { PlanBar } from "../features/plan/plan-bar.tsx";
import { RecentRuns } from "../features/runs/recent-runs.tsx";
import { Button } from "../kit/button.tsx";
import { EmptyState } from "../kit/empty-state.tsx";
import { focusSoon, keepFocus } from "../kit/focus-soon.ts";
import { IndeterminateLine } from "../kit/load-failure.tsx";
import { Segmented } from "../kit/segmented.tsx";
import { graphElement } from "../state/go-to.ts";
import { useGraph } from "../state/graph-store.ts";
import { useHost } from "../state/host-store.ts";
import { setFilterText, setView, useGraphView, useSelection } from "../state/selection-store.ts";
import { CanvasView } from "./canvas/canvas-view.tsx";
import { DescribeDialog } from "./change/describe-dialog.tsx";
import { FilterBox } from "./filter/filter-box.tsx";
import { LogView } from "./log/log-view.tsx";
import { useModel } from "./model/graph-model.ts";
import { PlanCanvasView } from "./plan-canvas/plan-canvas-view.tsx";
import { useIsPlanCanvas } from "./plan-canvas/use-plan-canvas.ts";
import { RebaseBanner, RebaseDialog } from "./rebase/rebase-dialog.tsx";
import { useRunFacts, useRunOnCanvas } from "./run-canvas/run-canvas-input.ts";
import { RunCanvasView } from "./run-canvas/run-canvas-view.tsx";

const views = [
  { value: "log", label: "Log", icon: <List size={13} aria-hidden /> },
  { value: "canvas", label: "Canvas", icon: <Network size={13} aria-hidden /> },
] as const;

/** The graph with its filter: as a log or as a canvas, both on one model. */
export function GraphPanel() {
  const view = useGraphView();
  const marker = usePaintMarker();
  const arriving = useGraph((state) => state.arriving !== null || state.graph === null);
  return (
    <div ref={marker} className="flex h-full flex-col bg-surface">
      <div className="flex h-9 shrink-0 items-center gap-2 border-b px-2">
        <Segmented label="View of the graph" value={view} options={views} onChange={setView} />
        <FilterBox />
      </div>
      <div className="h-0.5 shrink-0">{arriving && <IndeterminateLine label="Loading the graph" />}</div>
      <RebaseBanner />
      <div className="notice-region relative min-h-0 flex-1">
        <View />
      </div>
      <PlanBar />
      <RebaseDialog />
      <DescribeDialog />
    </div>
  );
}

/** Writes the operation on screen into `data-operation` after it was painted: benchmarks and tests wait for it. */
function usePaintMarker() {
  const root = useRef<HTMLDivElement>(null);
  const operation = useModel((state) => state.model?.graph.operation ?? null);
  useEffect(() => {
    if (operation === null) return;
    // The task after the next frame: by then that frame has been handed over.
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      if (root.current) root.current.dataset.operation = operation;
      document.documentElement.dataset.ready = "graph";
    };
    const frame = requestAnimationFrame(() => channel.port2.postMessage(null));
    return () => {
      cancelAnimationFrame(frame);
      channel.port1.onmessage = null;
    };
  }, [operation]);
  return root;
}

function clearFilter(): void {
  setFilterText("");
  focusSoon(graphElement);
}

function View() {
  const view = useGraphView();
  useKeptFocus(view);
  const rows = useModel((state) => state.model?.folded.rows.length ?? null);
  if (rows === null) return null;
  if (rows === 0) {
    return (
      <EmptyState
        icon={<GitGraph size={22} />}
        title="No changes match"
        action={<Button onClick={clearFilter}>Clear the filter</Button>}
      >
        The filter hides all changes. Clear it, or dim changes that do not match instead.
      </EmptyState>
    );
  }
  return view === "log" ? <LogView /> : <Canvas />;
}

/**
 * A run is drawn along time (before its plan is approved, as planned); a run without a plan yet, as a map. Without a
 * run the canvas shows the recent runs, and the map on request.
 */
function Canvas() {
  const facts = useRunFacts();
  const run = useRunOnCanvas();
  const isPlan = useIsPlanCanvas();
  // One that was over before this window saw it is one of those that were.
  const isShown = useSelection(({ shownRun }) => shownRun !== null);
  const [isMap, setMap] = useState(false);
  const isNothingRunning = run === null || run.endedAt !== null;
  const isFollowed = run !== null && facts !== null && isShown;
  useKeptFocus(run && isPlan ? "plan" : isFollowed ? "run" : isNothingRunning ? "runs" : "map");
  if (run && isPlan) return <PlannedRun />;
  if (isFollowed) return <FollowedRun run={run} facts={facts} />;
  const chooseMap = (chosen: boolean) => (): void => {
    setMap(chosen);
    focusSoon(graphElement);
  };
  if (!isNothingRunning || isMap) return <CanvasView onRuns={isNothingRunning ? chooseMap(false) : null} />;
  return <RecentRuns onMap={chooseMap(true)} />;
}

/** Moves the focus from the graph to the view that replaces it. */
function useKeptFocus(shown: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each other graph takes the place of one that is gone
  useEffect(() => {
    keepFocus(graphElement);
  }, [shown]);
}

// Words stream in many times a second, and nothing of it follows from them.
const FollowedRun = memo(RunCanvasView);

function PlannedRun() {
  const run = useHost((state) => state.run);
  return run && <PlanCanvasView run={run} />;
}
