// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid cannot be a table
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
import { ChevronDown, ChevronRight } from "lucide-react";
import { memo } from "react";
import type { WorkerView } from "#shared/contract/views/run.ts";
import type { Change } from "#shared/graph/change.ts";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import type { LaneRow } from "#shared/graph/lanes.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { cx } from "../../kit/class-names.ts";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { KindIcon, PriorityIcon, StatusIcon } from "../../kit/status-icon.tsx";
import { formatProgress } from "../../kit/todo-list.tsx";
import { isRoot, keyOf, subjectOf } from "../../state/graph-store.ts";
import { useWorkerOf } from "../../state/host-store.ts";
import { useMeetings } from "../../state/radar.ts";
import { useSelection } from "../../state/selection-store.ts";
import { ChangeBadges } from "../change/change-badges.tsx";
import { shapeOf, spoken, useNames } from "../model/change-facts.ts";
import { useFilter } from "../model/filter-store.ts";
import { foundInFold, rowKeyOf, toggleFold, useModel } from "../model/graph-model.ts";
import { UnnamedChange } from "../model/unnamed-change.tsx";
import { useDropOn } from "../rebase/rebase-store.ts";
import { LaneCell } from "./lane-cell.tsx";

interface LogRowProps {
  readonly height: number;
  readonly row: FoldedRow;
  readonly lane: LaneRow;
  readonly lanes: number;
  readonly index: number;
  readonly top: number;
}

export const rowId = (key: string): string => `graph-row-${key}`;

const idLength = 8;

function useRowState(key: string, commitId: string | null) {
  const selected = useSelection((state) => state.selected === key);
  const dimmed = useFilter(
    (state) => commitId !== null && state.commits !== null && !state.commits.has(commitId),
  );
  return { selected, dimmed };
}

/** How many changes of a fold the filter has found; null without a filter. */
const useFoundIn = (row: Of<"fold">): number | null =>
  useFilter(({ commits }) => {
    const { model } = useModel.getState();
    return commits && model ? foundInFold(model, row, commits) : null;
  });

const frame = "absolute inset-x-0 flex items-center pr-3 pl-1.5 outline-none";

export const LogRow = memo(function LogRow(props: LogRowProps) {
  return props.row.kind === "fold" ? (
    <FoldRow {...props} row={props.row} />
  ) : (
    <ChangeRow {...props} row={props.row} />
  );
});

type Of<K extends FoldedRow["kind"]> = Extract<FoldedRow, { kind: K }>;

function FoldRow({ row, lane, lanes, index, top, height }: LogRowProps & { readonly row: Of<"fold"> }) {
  const key = rowKeyOf(row);
  const { selected } = useRowState(key, null);
  const found = useFoundIn(row);
  return (
    <div
      role="row"
      id={rowId(key)}
      aria-rowindex={index + 1}
      aria-selected={selected}
      data-row-key={key}
      data-dimmed={found === 0 || undefined}
      className={cx(frame, "text-muted", selected ? "bg-selected" : "hover:bg-hover")}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      <div role="gridcell" className="flex min-w-0 flex-1 items-center gap-2 whitespace-nowrap">
        <LaneCell row={lane} lanes={lanes} shape="fold" />
        <span className={cx("flex min-w-0 items-center gap-2", found === 0 && "stepped-back")}>
          <ChevronRight size={13} className="shrink-0 text-faint" aria-hidden />
          <span className="shrink-0 whitespace-nowrap">
            <span className="sr-only">Collapsed: </span>
            {row.count.toLocaleString()} changes
          </span>
          <span dir="auto" className="min-w-0 truncate text-faint">
            {subjectOf(row.newest)} … {subjectOf(row.oldest)}
          </span>
          {found !== null && found > 0 && <Badge tone="accent">{found.toLocaleString()} found in it</Badge>}
        </span>
      </div>
    </div>
  );
}

function ChangeRow({ row, lane, lanes, index, top, height }: LogRowProps & { readonly row: Of<"change"> }) {
  const { change, fold } = row;
  const key = keyOf(change);
  const { selected, dimmed } = useRowState(key, change.commitId);
  const names = useNames(change.commitId);
  const worker = useWorkerOf(change.changeId);
  const meetings = useMeetings(worker?.name ?? null);
  const drop = useDropOn(key);
  const { kind, status } = change.metadata;
  const who = whoOf(change, worker);
  const subject = subjectOf(change);
  const closes = fold !== null && fold === change.commitId;
  return (
    <div
      role="row"
      id={rowId(key)}
      aria-rowindex={index + 1}
      aria-selected={selected}
      aria-label={spoken(change, names, worker, meetings)}
      data-change-id={change.changeId}
      data-commit-id={change.commitId}
      data-row-key={key}
      data-dimmed={dimmed || undefined}
      className={cx(
        frame,
        selected ? "bg-selected" : "hover:bg-hover",
        drop === "target" && "shadow-[inset_0_0_0_2px_var(--accent)]",
        drop === "refused" && "shadow-[inset_0_0_0_2px_var(--danger)]",
        drop === "dragged" && "opacity-35",
      )}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      <div role="gridcell" className="flex min-w-0 flex-1 items-center gap-2">
        <LaneCell row={lane} lanes={lanes} shape={shapeOf(change, names)} worker={who} />
        <div className={cx("flex min-w-0 items-center gap-2", dimmed && "stepped-back")}>
          {status && <StatusIcon status={status} />}
          {kind && kind !== "task" && <KindIcon kind={kind} size={13} />}
          <span
            dir="auto"
            title={subject}
            className={cx(
              "min-w-0 truncate",
              subject === "" ? "text-faint italic" : change.immutable && !kind ? "text-muted" : "text-text",
              status === "abandoned" && "line-through",
            )}
          >
            {subject || <UnnamedChange commitId={change.commitId} />}
          </span>
          <span className="flex max-w-[40cqw] shrink-0 items-center gap-1 overflow-hidden">
            <ChangeBadges change={change} names={names} worker={worker} meetings={meetings} most={3} />
          </span>
        </div>
        {closes && (
          <button
            type="button"
            tabIndex={-1}
            aria-label="Collapse this history"
            onClick={(event) => {
              event.stopPropagation();
              toggleFold(fold);
            }}
            className="inline-flex size-5 items-center justify-center rounded-sm text-faint hover:bg-line hover:text-text"
          >
            <ChevronDown size={13} aria-hidden />
          </button>
        )}
      </div>
      <Facts change={change} worker={worker} dimmed={dimmed} />
    </div>
  );
}

/** Who works on a change; of what an orchestrator builds on, the orchestrator. */
const whoOf = ({ metadata: { kind, agent, orchestrator } }: Change, worker: WorkerView | null) =>
  worker?.name ?? agent ?? (kind === "base" ? orchestrator : undefined);

interface FactsProps {
  readonly change: Change;
  readonly worker: WorkerView | null;
  readonly dimmed: boolean;
}

/** The right side of a row: what happens there, who does it, and when it was written. */
function Facts({ change, worker, dimmed }: FactsProps) {
  const { priority } = change.metadata;
  const who = whoOf(change, worker);
  const doing = worker && !worker.byHand ? formatProgress(worker) : "";
  return (
    <div
      role="gridcell"
      className={cx("flex shrink-0 items-center gap-2 pl-3 text-sm text-faint", dimmed && "stepped-back")}
    >
      {doing !== "" && (
        <span className="hidden max-w-40 truncate text-muted @min-[640px]/graph:inline" title={doing}>
          {doing}
        </span>
      )}
      <span className="w-[18px] shrink-0">
        {who && <Avatar name={who} {...(worker ? { state: worker.state } : {})} />}
      </span>
      <span className="w-3.5 shrink-0">{priority && <PriorityIcon priority={priority} />}</span>
      <span className="hidden w-24 truncate text-right @min-[860px]/graph:inline">{change.author.name}</span>
      <span className="hidden font-mono text-xs @min-[460px]/graph:inline" title={change.changeId}>
        <span className="text-accent-text">{change.changeId.slice(0, 4)}</span>
        {change.changeId.slice(4, idLength)}
      </span>
      {isRoot(change) ? (
        <span className="w-8" />
      ) : (
        <RelativeTime at={change.timestamp} className="w-8 text-right" />
      )}
    </div>
  );
}
