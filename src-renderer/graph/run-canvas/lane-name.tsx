/** The left margin of a lane: whose it is, what is done there, and what is the matter with it. */

import {
  Brain,
  ChevronDown,
  ChevronRight,
  Crosshair,
  FlaskConical,
  GitFork,
  Hand,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  MailWarning,
  Pause,
  Server,
  Wrench,
} from "lucide-react";
import type { CSSProperties } from "react";
import type { WorkerView } from "#shared/contract/views/run.ts";
import { conflictLabel } from "#shared/domain/conflict/conflict.ts";
import type { Present } from "#shared/domain/people/role.ts";
import { notMetered } from "#shared/domain/spending/unmetered.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import type { CanvasRow, PartCounts } from "#shared/graph/run-canvas/run-canvas.ts";
import { dollars } from "../../kit/amounts.ts";
import { Avatar, laneColour } from "../../kit/avatar.tsx";
import { LearnedMark } from "../../kit/badge.tsx";
import { cx } from "../../kit/class-names.ts";
import { PersonAvatar } from "../../kit/person-avatar.tsx";
import { PriorityIcon, StatusIcon } from "../../kit/status-icon.tsx";
import { formatProgress, TodoCount } from "../../kit/todo-list.tsx";
import { useLookers } from "../../state/people.ts";
import { foldPart } from "./canvas-view-store.ts";
import { avatarSize, LaneLabel, LaneMargin, LaneRing } from "./lane-label.tsx";
import type { Waiting } from "./waits-for.ts";

interface LaneNameProps extends LaneFacts {
  readonly width: number;
  readonly isSelected: boolean;
  readonly onOpen: () => void;
}

/** Of a worker what its lane shows. */
interface LaneWorker
  extends Pick<
    WorkerView,
    | "name"
    | "changeId"
    | "state"
    | "status"
    | "priority"
    | "iteration"
    | "activity"
    | "todos"
    | "held"
    | "byHand"
    | "conflict"
    | "quiet"
    | "learned"
  > {
  /** The agent of another make that it is; null: Hox's own. */
  readonly agent: string | null;
  /** The worker on which it works; null: this machine. */
  readonly machine: string | null;
  readonly microDollars: number;
  /** What it took of the user's plan, in words; null: it is metered. */
  readonly unmetered: string | null;
  /** Its last words, where the lane has room for them. */
  readonly quote: string;
}

/** What a lane says in its margin, in words. */
export interface LaneFacts {
  readonly row: CanvasRow;
  readonly worker: LaneWorker | null;
  readonly change: Change | null;
  readonly waiting: Waiting | null;
  readonly unread: number;
  /** Names of its clones and named agents that are at work. */
  readonly clones: readonly string[];
  /** What the orchestrator of a part is at; null: it is no part. */
  readonly ofPart: string | null;
  /** What keeps a task from being begun; empty for one that has begun. */
  readonly notStarted: string;
  /** Whether its new place in the queue is being written. */
  readonly isMoving: boolean;
  /** Whether it is followed. */
  readonly isFollowed: boolean;
}

/** What is done on a lane now, or what it waits for. */
function doingOf({ row, worker, waiting, notStarted, ofPart }: LaneFacts): string {
  if (row.isFolded) return formatPartCounts(row.below);
  if (waiting) return shownLine(waiting.words);
  if (worker?.status === "abandoned") return "abandoned";
  if (row.isFinished) return row.mergedAt !== null ? "merged" : "done";
  if (worker === null || notStarted !== "") return notStarted;
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
function spokenLane(props: LaneFacts, lookers: readonly Present[]): string {
  const { row, worker, change, unread } = props;
  const status = change?.metadata.status ?? worker?.status;
  return [
    shownLine(row.title),
    row.worker ?? "unassigned",
    worker?.agent,
    worker?.machine && `on worker ${shownName(worker.machine)}`,
    status?.replace("_", " "),
    `${change?.metadata.priority ?? worker?.priority ?? "medium"} priority`,
    doingOf(props),
    worker && worker.conflict !== "none" && conflictLabel(worker.conflict),
    unread > 0 && `${unread} unread`,
    props.clones.length > 0 && `${counted(props.clones.length, "clone")} working`,
    worker && worker.learned.length > 0 && `learned: ${worker.learned.length}`,
    worker && (worker.unmetered === null ? dollars(worker.microDollars) : notMetered),
    props.isMoving && "saving the new position",
    props.isFollowed && "followed",
    lookers.length > 0 && `${lookers.map(({ name }) => shownLine(name)).join(" and ")} looking at this`,
    row.marks.length > 0 && counted(row.marks.length, "mark"),
  ]
    .filter(Boolean)
    .join(", ");
}

export function LaneName(props: LaneNameProps) {
  const { row, width, worker, isSelected, onOpen } = props;
  const lookers = useLookers(worker?.name ?? null);
  return (
    <LaneMargin width={width} isSelected={isSelected} style={frameOf(row)}>
      {row.kind === "part" ? (
        <button
          type="button"
          tabIndex={-1}
          aria-label={
            row.isFolded ? `Expand the lanes of ${row.title}` : `Collapse ${row.title} into one lane`
          }
          aria-expanded={!row.isFolded}
          onClick={() => foldPart(row.orchestrator, !row.isFolded)}
          className="flex size-5 shrink-0 items-center justify-center rounded-sm text-muted hover:bg-hover"
        >
          {row.isFolded ? <ChevronRight size={14} /> : <ChevronDown size={14} />}
        </button>
      ) : null}
      <LaneAvatar row={row} worker={worker} />
      <button
        type="button"
        tabIndex={-1}
        data-lane-name={row.id}
        aria-current={isSelected || undefined}
        title={row.title}
        onClick={onOpen}
        className="-mx-1 flex h-full min-w-0 flex-1 touch-none flex-col justify-center rounded-sm px-1 text-left"
      >
        <span className="sr-only">{spokenLane(props, lookers)}</span>
        <span aria-hidden className="contents">
          <Label {...props} />
        </span>
      </button>
    </LaneMargin>
  );
}

/** px by which what is inside a part is moved in. */
const indent = 14;

/** What is inside a part has a rail in its orchestrator's colour. */
const frameOf = ({ kind, depth, orchestrator }: CanvasRow): CSSProperties => ({
  paddingLeft: 8 + depth * indent,
  ...(depth > 0 || kind === "part" ? { boxShadow: `inset 3px 0 0 ${laneColour(orchestrator)}` } : {}),
});

function LaneAvatar({ row, worker }: Pick<LaneNameProps, "row" | "worker">) {
  if (row.worker === null) return <LaneRing state="ready" height={row.height} />;
  return (
    <span aria-hidden className="flex shrink-0">
      <Avatar name={row.worker} size={avatarSize(row.height)} {...(worker ? { state: worker.state } : {})} />
    </span>
  );
}

/** px of a margin from which one line has room for all facts. */
const minWidthForFacts = 220;

/** One line without room for more than the title and figures: what is done is then said by a count. */
const isNarrow = ({ row, width }: LaneNameProps): boolean => row.detail === "line" && width < 300;

function Label(props: LaneNameProps) {
  const { row, worker, waiting, notStarted } = props;
  const asks = waiting !== null || (row.isFolded && row.below.asking > 0);
  return (
    <LaneLabel
      state={row.isFinished ? "done" : row.worker === null ? "ready" : "running"}
      detail={row.detail}
      title={row.title}
      doing={doingOf(props)}
      tone={asks ? "warning" : notStarted !== "" ? "faint" : "muted"}
      {...(isNarrow(props)
        ? { short: waiting && <span className="shrink-0 text-xs text-warning">waits</span> }
        : {})}
      quote={worker && !row.isFinished ? worker.quote : ""}
      facts={<Facts {...props} />}
    />
  );
}

/** Shown to the right of the title at every height. */
function Facts(props: LaneNameProps) {
  const { row, worker, change, unread, waiting } = props;
  // Taken up, and not begun: what its change says is ahead of what is seen.
  const status = props.notStarted !== "" ? "open" : (change?.metadata.status ?? worker?.status);
  const priority = change?.metadata.priority ?? worker?.priority ?? null;
  const isBelow = row.detail === "three" || row.detail === "full";
  // The title goes before figures.
  const isTight = props.width < minWidthForFacts && row.detail === "line";
  const lookers = useLookers(worker?.name ?? null);
  return (
    <>
      {lookers.map(({ name }) => (
        <PersonAvatar key={name} name={name} detail="looking at this" size={16} />
      ))}
      {props.isFollowed && (
        <span title="followed" data-followed className="text-accent-text">
          <Crosshair size={12} aria-hidden />
        </span>
      )}
      {worker && !row.isFinished && isNarrow(props) && <Activity worker={worker} words={doingOf(props)} />}
      {worker?.byHand ? (
        <Hand size={12} className="text-info" role="img" aria-label="assigned to you" />
      ) : worker?.held ? (
        <Pause size={12} role="img" aria-label="paused by you" />
      ) : null}
      {worker?.agent && !isNarrow(props) && !isTight && (
        <span className="max-w-24 truncate" title={`Works with ${worker.agent}`}>
          {worker.agent}
        </span>
      )}
      {worker?.machine && <MachineMark name={worker.machine} hasRoom={!isNarrow(props) && !isTight} />}
      {worker && !isNarrow(props) && <LearnedMark learned={worker.learned} />}
      {props.clones.length > 0 && (
        <span
          className="flex items-center gap-0.5"
          title={`${counted(props.clones.length, "clone")} working: ${props.clones.join(", ")}`}
        >
          <GitFork size={12} aria-hidden />
          {props.clones.length}
        </span>
      )}
      {unread > 0 && (
        <span className="flex items-center gap-0.5 text-info" title={`${unread} unread messages`}>
          <MailWarning size={12} aria-hidden />
          {unread}
        </span>
      )}
      {worker && worker.conflict !== "none" && (
        <span className="size-2 rounded-full bg-danger" title={conflictLabel(worker.conflict)} />
      )}
      {/* Who works says it before what is done. */}
      {worker && !row.isFinished && !isTight && (waiting || isNarrow(props)) && (
        <TodoCount todos={worker.todos} />
      )}
      {/* In one short line the mark at the avatar says it of those who work. */}
      {status && !(isNarrow(props) && worker && status === "in_progress") && (
        <StatusIcon status={status} size={12} />
      )}
      {props.isMoving ? (
        <LoaderCircle
          size={12}
          className="breathe text-muted"
          role="img"
          aria-label="saving the new position"
        />
      ) : (
        priority && !isTight && <PriorityIcon priority={priority} size={12} />
      )}
      {worker?.unmetered != null && !isTight && (
        <span title={`${notMetered}: ${worker.unmetered}`}>not metered</span>
      )}
      {worker && worker.microDollars > 0 && (
        <span className={cx(!isBelow && "min-w-[36px] text-right")}>{dollars(worker.microDollars)}</span>
      )}
    </>
  );
}

/** Where its files and commands are. */
const MachineMark = ({ name, hasRoom }: { readonly name: string; readonly hasRoom: boolean }) => (
  <span className="flex min-w-0 items-center gap-0.5" title={`Works on worker ${shownName(name)}`}>
    <Server size={11} className="shrink-0" aria-hidden />
    {hasRoom && <span className="max-w-20 truncate">{shownName(name)}</span>}
  </span>
);

/** What it does, where there is no room for words. */
function Activity({ worker, words }: { readonly worker: LaneWorker; readonly words: string }) {
  const Icon = activityIcons[worker.state];
  return Icon ? (
    <span title={words}>
      <Icon size={12} aria-hidden />
    </span>
  ) : null;
}

const activityIcons: Partial<Record<WorkerView["state"], LucideIcon>> = {
  thinking: Brain,
  tools: Wrench,
  checking: FlaskConical,
  waiting: Hourglass,
};
