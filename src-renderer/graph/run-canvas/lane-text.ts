/** What a lane says in its margin, in words. */

import type { WorkerView } from "#shared/contract/views/worker.ts";
import { conflictLabel } from "#shared/domain/conflict/conflict-label.ts";
import { counted } from "#shared/domain/text/counted.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import type { CanvasRow, PartCounts } from "#shared/graph/run-canvas/run-canvas.ts";
import type { Waiting } from "../../features/inspector/waits-for.ts";
import { dollars } from "../../kit/amounts.ts";
import { formatProgress } from "../../kit/todo-list.tsx";

export interface LaneFacts {
  readonly row: CanvasRow;
  readonly worker: WorkerView | null;
  readonly change: Change | null;
  readonly waiting: Waiting | null;
  readonly unread: number;
  /** Names of its clones and named agents that are at work. */
  readonly clones: readonly string[];
  /** What the orchestrator of a part is at; null: it is no part. */
  readonly ofPart: string | null;
  /** What keeps a task from being begun; empty for one that has begun. */
  readonly notBegun: string;
  /** Whether its new place in the queue is being written. */
  readonly isMoving: boolean;
  /** Whether it is followed. */
  readonly isFollowed: boolean;
}

/** What is done on a lane now, or what it waits for. */
export function doingOf({ row, worker, waiting, notBegun, ofPart }: LaneFacts): string {
  if (row.isFolded) return formatPartCounts(row.below);
  if (waiting) return shownLine(waiting.words);
  if (worker?.status === "abandoned") return "abandoned";
  if (row.isFinished) return row.mergedAt !== null ? "merged" : "done";
  if (worker === null || notBegun !== "") return notBegun;
  if (ofPart !== null) return ofPart;
  if (worker.quiet !== null)
    return [quietLabels[worker.quiet], formatProgress(worker)].filter(Boolean).join(" · ");
  if (worker.conflict === "mutation") return `adapts its work to a decision · ${formatProgress(worker)}`;
  if (worker.conflict === "merge") return `resolves a conflict · ${formatProgress(worker)}`;
  return formatProgress(worker) || `iteration ${worker.iteration}`;
}

const quietLabels = { stalled: "stalled, no progress", silent: "stalled, no response" } as const;

/** What is below a part that is folded. */
function formatPartCounts({ lanes, done, asking }: PartCounts): string {
  return [
    lanes === 1 ? "1 agent" : `${lanes} agents`,
    `${done} done`,
    ...(asking === 0 ? [] : [asking === 1 ? "1 asks" : `${asking} ask`]),
  ].join(" · ");
}

/** All of a lane in one sentence, whatever there is room for. */
export function spokenLane(props: LaneFacts): string {
  const { row, worker, change, unread } = props;
  const status = change?.metadata.status ?? worker?.status;
  return [
    shownLine(row.title),
    row.worker ?? "unassigned",
    status?.replace("_", " "),
    `${change?.metadata.priority ?? worker?.priority ?? "medium"} priority`,
    doingOf(props),
    worker && worker.conflict !== "none" && conflictLabel(worker.conflict),
    unread > 0 && `${unread} unread`,
    props.clones.length > 0 && `${counted(props.clones.length, "clone")} working`,
    worker && worker.learned.length > 0 && `learned: ${worker.learned.length}`,
    worker && dollars(worker.spent.microDollars),
    props.isMoving && "saving the new position",
    props.isFollowed && "followed",
    row.marks.length > 0 && counted(row.marks.length, "mark"),
  ]
    .filter(Boolean)
    .join(", ");
}
