/** A lane of the run, from its name in the margin to the end of its line. */

import { memo, useCallback } from "react";
import { unmeteredUse } from "#shared/domain/spending/unmetered.ts";
import { isAtWork } from "#shared/domain/worker/roles.ts";
import type { CanvasRow, MarkGroup } from "#shared/graph/run-canvas/run-canvas.ts";
import { showConflict } from "../../features/conflict/conflict-store.ts";
import { useIsMoving } from "../../features/queue/queue-store.ts";
import { cx } from "../../kit/class-names.ts";
import type { HostStoreState } from "../../state/host-store.ts";
import { unreadOf, usePartOfHost } from "../../state/host-store.ts";
import { inspect, keyOfWorker, useSelection } from "../../state/selection-store.ts";
import { showIteration } from "../../state/shown-run.ts";
import { machineOf } from "../../state/workers.ts";
import { useCanvasView } from "./canvas-view-store.ts";
import { ConflictButton } from "./conflict-button.tsx";
import { Lane } from "./lane-label.tsx";
import { type LaneFacts, LaneName } from "./lane-name.tsx";
import { LaneTrack } from "./lane-track.tsx";
import { orchestratorLine } from "./orchestrator-line.ts";
import { useChangeOfWorker } from "./use-change-of.ts";
import { lastSentence, waitsFor } from "./waits-for.ts";

type FactsOfHost = Pick<LaneFacts, "worker" | "waiting" | "unread" | "clones" | "ofPart">;

/** What the lane of a worker says of it; not what streams in many times a second. */
function factsOfHost(row: CanvasRow, host: HostStoreState): FactsOfHost {
  const { run, inbox, messages } = host;
  const worker = run?.workers.find(({ name }) => name === row.worker);
  const part = row.kind === "part" && run?.orchestrators.find(({ name }) => name === row.orchestrator);
  // What an orchestrator does is not told in iterations.
  const ofPart = part ? orchestratorLine(part) : null;
  if (!run || !worker) return { worker: null, waiting: null, unread: 0, clones: [], ofPart };
  const { name, changeId, state, status, priority, iteration, activity, todos } = worker;
  const { held, byHand, conflict, quiet, learned, spent, latestText, agent, unmetered } = worker;
  return {
    worker: {
      ...{ name, changeId, state, status, priority, iteration, activity, todos },
      ...{ held, byHand, conflict, quiet, learned },
      agent: agent?.label ?? null,
      machine: machineOf(host, name),
      microDollars: spent.microDollars,
      unmetered: unmetered && unmeteredUse(unmetered),
      quote: row.detail === "full" ? lastSentence(latestText) : "",
    },
    waiting: waitsFor(worker, run, inbox),
    unread: unreadOf(worker, messages),
    clones: run.workers.flatMap((one) =>
      one.parent === name && one.fork && one.fork.result === null && !one.fork.isCancelled ? [one.name] : [],
    ),
    ofPart,
  };
}

interface RunLaneProps {
  readonly row: CanvasRow;
  /** px of the margin with the names. */
  readonly margin: number;
  /** What keeps its task from being begun; empty for one that has begun. */
  readonly notStarted: string;
}

export const RunLane = memo(function RunLane({ row, margin, notStarted }: RunLaneProps) {
  const facts = usePartOfHost((state) => factsOfHost(row, state));
  const { worker } = facts;
  const changeId = worker?.changeId ?? null;
  const change = useChangeOfWorker(changeId);
  const key = changeId ?? (row.worker === null ? null : keyOfWorker(row.worker));
  const isMoving = useIsMoving(changeId);
  const isFollowed = useCanvasView(({ followed }) => followed === row.id);
  const isSelected = useSelection((state) => key !== null && state.selected === key);
  // The focus stays on the lane: arrows go on from it.
  const open = useCallback(() => {
    if (key !== null) inspect(key);
  }, [key]);
  const openMark = useCallback(
    (group: MarkGroup) => {
      const mark = group.marks.at(-1);
      if (mark && "decision" in mark) return inspect(mark.decision);
      open();
      if (mark?.kind === "iteration") showIteration(mark.worker, mark.iteration);
    },
    [open],
  );
  return (
    <Lane
      role="group"
      aria-label={row.title}
      data-lane={row.id}
      data-detail={row.detail}
      data-orchestrator={row.orchestrator}
      data-phase={row.phase}
      {...(row.kind === "lane" && changeId ? { "data-change-id": changeId } : {})}
      className={cx(row.kind === "part" && "bg-canvas", row.depth > 0 && "bg-canvas/60")}
      top={row.y}
      height={row.height}
      isSelected={isSelected}
    >
      <LaneTrack
        row={row}
        isStill={worker !== null && !isAtWork(worker.state) && !row.isFinished}
        onOpen={openMark}
      />
      {worker?.conflict === "merge" && change?.conflict && row.line && (
        <ConflictButton
          label={`conflict in the work of ${worker.name}. Show the sides`}
          data-merge-conflict={worker.name}
          onClick={() => showConflict(change.changeId)}
          className="canvas-move z-[2] -translate-x-full -translate-y-1/2"
          style={{
            left: row.line.to - beforeEnd,
            top: row.height / 2 + (row.height < minHeightForDetails ? 0 : belowLine),
          }}
        >
          conflict
        </ConflictButton>
      )}
      <LaneName
        {...facts}
        {...{ row, change, notStarted, isMoving, isFollowed, isSelected }}
        width={margin}
        onOpen={open}
      />
    </Lane>
  );
});

/** px left of where a line ends, so that the sign of its worker stays in sight */
const beforeEnd = 14;
/** px of a row with room below its line, clear of beads, their signs and messages; and how far below that is. */
const minHeightForDetails = 80;
const belowLine = 34;
