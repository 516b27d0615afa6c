import type { Node, NodeProps } from "@xyflow/react";
import { memo, useCallback } from "react";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { isAtWork } from "#shared/domain/worker/roles.ts";
import type { Change } from "#shared/graph/change.ts";
import type { CanvasRow, MarkGroup } from "#shared/graph/run-canvas/run-canvas.ts";
import { showConflict } from "../../features/conflict/conflict-store.ts";
import { useIsMoving } from "../../features/queue/queue-store.ts";
import { cx } from "../../kit/class-names.ts";
import { useHost, useUnread } from "../../state/host-store.ts";
import { inspect, keyOfWorker, useSelection } from "../../state/selection-store.ts";
import { showIteration } from "../../state/shown-run.ts";
import { useCanvasView } from "./canvas-view-store.ts";
import { ConflictButton } from "./conflict-button.tsx";
import { LaneName } from "./lane-name.tsx";
import { LaneTrack } from "./lane-track.tsx";
import { orchestratorLine } from "./orchestrator-line.ts";
import { transformStyle } from "./transform-style.ts";
import { useChangeOf } from "./use-change-of.ts";
import { type Waiting, waitsFor } from "./waits-for.ts";

export type RowFlowNode = Node<
  {
    readonly row: CanvasRow;
    readonly margin: number;
    /** What keeps its task from being begun. */
    readonly notBegun: string;
  },
  "row"
>;

const none: readonly string[] = [];

/** @param text the id of a card, or nothing, and the words in the line below */
function asWaiting(text: string | null): Waiting | null {
  const [card = "", words] = text?.split("\n") ?? [];
  return words === undefined ? null : { words, card: card === "" ? null : card };
}

/** Names of those whom it has begun in the middle of its work, as long as they are at it; one text, which compares. */
const clonesOf = (run: RunView | null, worker: string | null): string =>
  worker === null
    ? ""
    : (run?.workers ?? [])
        .filter(
          ({ parent, fork }) =>
            parent === worker && fork != null && fork.result === null && !fork.isCancelled,
        )
        .map(({ name }) => name)
        .join(" ");

/** One lane, from its name in the margin to the end of its line. It listens to its own worker and change only. */
export const RowNode = memo(function RowNode({ data, width }: NodeProps<RowFlowNode>) {
  const { row, margin, notBegun } = data;
  const { view: worker, change } = useChangeOf(row.worker);
  const waiting = useHost((state) => {
    if (!worker || !state.run) return null;
    const found = waitsFor(worker, state.run, state.inbox);
    return found && `${found.card ?? ""}\n${found.words}`;
  });
  const changeId = worker?.changeId ?? null;
  const unread = useUnread(worker);
  const key = changeId ?? (row.worker === null ? null : keyOfWorker(row.worker));
  // What an orchestrator does is not told in iterations.
  const ofPart = useHost(({ run }) => {
    const part = row.kind === "part" && run?.orchestrators.find(({ name }) => name === row.orchestrator);
    return part ? orchestratorLine(part) : null;
  });
  const clones = useHost(({ run }) => clonesOf(run, row.worker));
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
  const isWorking = worker !== null && isAtWork(worker.state);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs to a form
    <div
      role="group"
      aria-label={row.title}
      data-lane={row.id}
      data-detail={row.detail}
      data-orchestrator={row.orchestrator}
      data-phase={row.phase}
      {...(row.kind === "lane" && changeId ? { "data-change-id": changeId } : {})}
      className={cx(
        "relative h-full border-b border-line",
        row.kind === "part" && "bg-canvas",
        row.depth > 0 && "bg-canvas/60",
        isSelected && "bg-selected/40",
      )}
      style={{ width }}
    >
      {/* React Flow looks for a place where lines begin and end, and draws none without. */}
      <i className="target absolute top-0 left-0 size-px" data-handlepos="top" />
      <i className="source absolute bottom-0 left-0 size-px" data-handlepos="bottom" />
      <LaneTrack
        row={row}
        isWorking={isWorking}
        isStill={worker !== null && !isWorking && !row.isFinished}
        onOpen={openMark}
      />
      <MergeConflict row={row} worker={worker} change={change} />
      <LaneName
        row={row}
        width={margin}
        worker={worker}
        change={change}
        waiting={asWaiting(waiting)}
        unread={unread}
        clones={clones === "" ? none : clones.split(" ")}
        notBegun={notBegun}
        ofPart={ofPart}
        isSelected={isSelected}
        isMoving={isMoving}
        isFollowed={isFollowed}
        onOpen={open}
      />
    </div>
  );
});

interface MergeConflictProps {
  readonly row: Pick<CanvasRow, "line" | "height">;
  readonly worker: Pick<WorkerView, "name" | "conflict"> | null;
  readonly change: Pick<Change, "changeId" | "conflict"> | null;
}

/** px left of where a line ends, so that the sign of its worker stays in sight */
const beforeEnd = 14;
/** px of a row with room below its line, clear of beads, their signs and messages; and how far below that is. */
const minHeightForDetails = 80;
const belowLine = 34;

/** Opens a merge conflict, at the lane's end. */
function MergeConflict({ row: { line, height }, worker, change }: MergeConflictProps) {
  if (worker?.conflict !== "merge" || !change?.conflict || !line) return null;
  return (
    <div
      className="canvas-move pointer-events-none absolute top-0 left-0"
      style={transformStyle({
        x: line.to - beforeEnd,
        y: height / 2 + (height < minHeightForDetails ? 0 : belowLine),
      })}
    >
      <ConflictButton
        label={`conflict in the work of ${worker.name}. Show the sides`}
        data-merge-conflict={worker.name}
        onClick={() => showConflict(change.changeId)}
        className="top-0 right-0 -translate-y-1/2"
      >
        conflict
      </ConflictButton>
    </div>
  );
}
