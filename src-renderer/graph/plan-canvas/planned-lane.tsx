/** The lane that a planned task will have: its name in the margin, and its work in the column of its phase. */
import { FileText, TriangleAlert } from "lucide-react";
import { memo } from "react";
import {
  agentAt,
  agentsNote,
  attemptsAt,
  contextNote,
  type PlannedTask,
  type PlanProblem,
} from "#shared/domain/plan/plan.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import type { PlannedRow } from "#shared/graph/plan-canvas/plan-canvas.ts";
import { keyOfPart } from "../../features/plan/plan-actions.ts";
import { cx } from "../../kit/class-names.ts";
import { PriorityIcon } from "../../kit/status-icon.tsx";
import { useLinkOn } from "../../state/plan-link-store.ts";
import { useSelection } from "../../state/selection-store.ts";
import { Lane, LaneLabel, LaneMargin, LaneRing } from "../run-canvas/lane-label.tsx";

interface PlannedLaneProps {
  readonly row: PlannedRow;
  /** px from the first lane. */
  readonly top: number;
  readonly margin: number;
  readonly task: PlannedTask;
  readonly worst: PlanProblem["severity"] | null;
}

export const PlannedLane = memo(function PlannedLane({ row, top, margin, task, worst }: PlannedLaneProps) {
  const { part, height, box } = row;
  const isSelected = useSelection((state) => state.selected === keyOfPart(part));
  const link = useLinkOn(part);
  return (
    // Said by the list beside the drawing.
    <Lane aria-hidden className="pointer-events-none" {...{ top, height, isSelected }}>
      <LaneMargin
        data-plan-part={part}
        title={shownLine(task.title)}
        className={cx("pointer-events-auto touch-none", linkLook(link))}
        width={margin}
        isSelected={isSelected}
      >
        <LaneRing state="planned" height={height} />
        <span className="flex h-full min-w-0 flex-1 flex-col justify-center">
          <LaneLabel
            state="planned"
            detail={row.detail}
            title={task.title}
            doing={shownLine(task.description.split("\n").find((line) => line.trim() !== "") ?? "")}
            tone="faint"
            short={null}
            facts={<PlannedFacts task={task} worst={worst} />}
          />
        </span>
      </LaneMargin>
      <div
        data-plan-part={part}
        data-plan-box
        title={formatClaimedFiles(task)}
        className={cx(
          "pointer-events-auto absolute flex touch-none items-center gap-1 overflow-hidden rounded-md border border-dashed bg-raised px-1.5 text-xs text-muted",
          worst === "fatal" ? "border-danger" : worst === "warning" ? "border-warning" : "border-accent",
          (isSelected || link === "target") && "outline-2 outline-accent",
          link === "dragged" && "opacity-45",
        )}
        style={{ left: box.x, width: box.width, ...boxPlace(height) }}
      >
        <ClaimBoxLabel task={task} width={box.width} />
      </div>
    </Lane>
  );
});

/** What is dragged to wait for another task, and the task it would wait for. */
export const linkLook = (link: ReturnType<typeof useLinkOn>): string =>
  cx(link === "target" && "shadow-[inset_0_0_0_2px_var(--accent)]", link === "dragged" && "opacity-45");

const maxBoxHeight = 34;
const boxPlace = (height: number): { readonly top: number; readonly height: number } => {
  const high = Math.min(maxBoxHeight, height - 5);
  return { top: Math.floor((height - high) / 2), height: high };
};

/** px of a box from which it has room for a count, and for a name. */
const roomForCount = 40;
const roomForName = 92;

function ClaimBoxLabel({ task: { files }, width }: { readonly task: PlannedTask; readonly width: number }) {
  const [first] = files;
  if (first === undefined || width < roomForCount) return null;
  const further = files.length - 1;
  return (
    <>
      <FileText size={11} className="shrink-0 text-faint" />
      {width < roomForName ? (
        files.length
      ) : (
        <>
          <span className="min-w-0 truncate font-mono">{shownName(first.split("/").at(-1) || first)}</span>
          {further > 0 && <span className="shrink-0 text-faint">+{further}</span>}
        </>
      )}
    </>
  );
}

const formatClaimedFiles = ({ files }: PlannedTask): string =>
  files.length === 0 ? "No files named yet" : ["May change", ...files.map(shownName)].join("\n");

/** Who works on it, without models. */
const shortAgents = (task: PlannedTask): string =>
  Array.from(
    { length: attemptsAt(task) },
    (_, at) => agentAt(task, at + 1)?.split("/")[0] ?? "run’s agent",
  ).join(" + ");

/** What else is planned of it, in signs and a word or two. */
export function PlannedFacts({ task, worst }: Pick<PlannedLaneProps, "task" | "worst">) {
  const attempts = attemptsAt(task);
  return (
    <>
      <PriorityIcon priority={task.priority} size={12} />
      {agentsNote(task) !== "" && (
        <span className="max-w-40 truncate" title={`By ${agentsNote(task)}`}>
          {shortAgents(task)}
        </span>
      )}
      {attempts > 1 && <span title={`${attempts} attempts, and you choose one`}>× {attempts}</span>}
      {task.delegate === true && <span>led by its own orchestrator</span>}
      {contextNote(task) !== "" && <span>{contextNote(task)}</span>}
      {worst !== null && (
        <TriangleAlert
          size={12}
          aria-label={worst === "fatal" ? "has a problem" : "has a warning"}
          className={worst === "fatal" ? "text-danger" : "text-warning"}
        />
      )}
    </>
  );
}
