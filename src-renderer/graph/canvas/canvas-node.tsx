import type { NodeProps } from "@xyflow/react";
import { memo } from "react";
import type { WorkerView } from "#shared/contract/views/run.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Names } from "#shared/graph/change-graph.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { LearnedMark } from "../../kit/badge.tsx";
import { cx } from "../../kit/class-names.ts";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { KindIcon, PriorityIcon, StatusIcon } from "../../kit/status-icon.tsx";
import { formatProgress } from "../../kit/todo-list.tsx";
import { isRoot, keyOf, subjectOf } from "../../state/graph-store.ts";
import { useWorkerOf } from "../../state/host-store.ts";
import { type Meetings, useMeetings } from "../../state/radar.ts";
import { useSelection } from "../../state/selection-store.ts";
import { ChangeBadges } from "../change/change-badges.tsx";
import { conflictOf, furtherNames, useNames } from "../model/change-facts.ts";
import { useFilter } from "../model/filter-store.ts";
import { rowKeyOf } from "../model/graph-model.ts";
import { laneColour } from "../model/lane-colour.ts";
import { UnnamedChange } from "../model/unnamed-change.tsx";
import { useDropOn } from "../rebase/rebase-store.ts";
import type { ChangeFlowNode, FoldFlowNode } from "./canvas-elements.ts";
import { useZoomLevel } from "./use-map-zoom.ts";

const card =
  "flex h-full w-full flex-col justify-center gap-0.5 overflow-hidden rounded-lg border bg-raised px-3";

/**
 * Where lines begin and end. React Flow looks for elements of these classes when a node is mounted, and forgets the
 * handles that were given with the node when it finds none.
 */
function Anchors() {
  return (
    <>
      <i className="target absolute top-0 left-1/2 size-px" data-handlepos="top" />
      <i className="source absolute bottom-0 left-1/2 size-px" data-handlepos="bottom" />
    </>
  );
}

/** One change on the canvas. It listens to its own change, worker and selection only. */
export const ChangeNode = memo(function ChangeNode({ data }: NodeProps<ChangeFlowNode>) {
  const { change } = data.row;
  const key = keyOf(change);
  const selected = useSelection((state) => state.selected === key);
  const dimmed = useFilter((state) => state.commits !== null && !state.commits.has(change.commitId));
  const names = useNames(change.commitId);
  const worker = useWorkerOf(change.changeId);
  const meetings = useMeetings(worker?.name ?? null);
  const drop = useDropOn(key);
  const level = useZoomLevel();
  const { kind, status, priority } = change.metadata;
  const subject = subjectOf(change);
  const inConflict = conflictOf(change, worker) !== null;
  const here = names.workspaces.includes("default");
  return (
    <div
      // Said by the list beside the drawing.
      aria-hidden
      data-change-id={change.changeId}
      data-commit-id={change.commitId}
      data-row-key={key}
      data-dimmed={dimmed || undefined}
      className={cx(
        card,
        inConflict ? "border-danger" : here ? "border-accent" : "border-line-strong",
        selected && "outline-2 outline-accent",
        drop === "target" && "outline-2 outline-accent",
        drop === "refused" && "outline-2 outline-danger",
        dimmed && "stepped-back",
        drop === "dragged" && "opacity-35",
      )}
      style={{ borderLeft: `3px solid ${inConflict ? "var(--danger)" : laneColour(data.hue)}` }}
    >
      <Anchors />
      <div className="flex min-w-0 items-center gap-1.5">
        {status && <StatusIcon status={status} />}
        {kind && kind !== "task" && <KindIcon kind={kind} />}
        <span
          dir="auto"
          title={subject}
          style={level === "middle" ? alone : {}}
          className={cx(
            "min-w-0 flex-1 truncate",
            level === "near" && "font-medium",
            subject === "" && "text-faint italic",
            change.immutable && !kind && "font-normal text-muted",
          )}
        >
          {subject || <UnnamedChange commitId={change.commitId} />}
        </span>
        {worker && level === "near" && <LearnedMark learned={worker.learned} />}
        {priority && level === "near" && <PriorityIcon priority={priority} />}
      </div>
      {level === "near" && <Facts change={change} names={names} worker={worker} meetings={meetings} />}
    </div>
  );
});

interface FactsProps {
  readonly change: Change;
  readonly names: Names;
  readonly worker: WorkerView | null;
  readonly meetings: Meetings;
}

/** The second line: who works on it and on what, and what is the matter with it. */
function Facts({ change, names, worker, meetings }: FactsProps) {
  const { agent, phase } = change.metadata;
  const who = worker?.name ?? agent;
  const doing = worker && !worker.byHand ? formatProgress(worker) : "";
  return (
    <div className="flex min-w-0 items-center gap-1.5 overflow-hidden text-sm text-faint">
      {who && <Avatar name={who} size={16} {...(worker ? { state: worker.state } : {})} />}
      {doing ? (
        <span className="min-w-0 truncate text-muted" title={doing}>
          {doing}
        </span>
      ) : (
        <>
          <span className="shrink-0 font-mono text-xs">{change.changeId.slice(0, 8)}</span>
          {phase !== undefined && meetings.length === 0 && (
            <span className="shrink-0 text-xs">phase {phase}</span>
          )}
        </>
      )}
      <span
        className={cx(
          "ml-auto flex items-center justify-end gap-1 overflow-hidden",
          meetings.length > 0 ? "max-w-[75%] shrink-0" : "min-w-0 flex-1",
        )}
      >
        <ChangeBadges
          change={change}
          names={furtherNames(names, worker)}
          worker={worker}
          meetings={meetings}
          most={1}
        />
      </span>
      {!worker && !isRoot(change) && <RelativeTime at={change.timestamp} className="shrink-0 text-xs" />}
    </div>
  );
}

/** A subject without anything beside it: as large on screen at every zoom. */
const alone = { fontSize: "var(--title-size)", lineHeight: 1.3 } as const;

/** A stretch of history in one node. */
export const FoldNode = memo(function FoldNode({ data }: NodeProps<FoldFlowNode>) {
  const key = rowKeyOf(data.row);
  const selected = useSelection((state) => state.selected === key);
  const level = useZoomLevel();
  return (
    <div
      aria-hidden
      data-row-key={key}
      className={cx(card, "items-center border-dashed text-muted", selected && "outline-2 outline-accent")}
    >
      <Anchors />
      <span style={level === "middle" ? alone : {}}>{data.row.count.toLocaleString()} changes</span>
      {level === "near" && (
        <span dir="auto" className="max-w-full truncate text-sm text-faint">
          {subjectOf(data.row.newest)}
        </span>
      )}
    </div>
  );
});
