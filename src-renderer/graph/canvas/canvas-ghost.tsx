import type { NodeProps } from "@xyflow/react";
import { FileText, Plus, TriangleAlert } from "lucide-react";
import { memo } from "react";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { nodeWidth } from "#shared/graph/canvas-layout.ts";
import { addPlannedTask } from "../../features/plan/plan-actions.ts";
import { askForTask } from "../../features/plan/plan-amend.ts";
import { keyOfPart } from "../../features/plan/plan-parts.ts";
import { cx } from "../../kit/class-names.ts";
import { PriorityIcon } from "../../kit/priority-icon.tsx";
import { useLinkOn, usePlanLink } from "../../state/plan-link-store.ts";
import { useSelection } from "../../state/selection-store.ts";
import { type BandFlowNode, bandLabel, type GhostFlowNode } from "../plan/plan-elements.ts";
import { useZoomLevel } from "./zoom-level.ts";

export const ghostWords = ({ title, priority, worst }: GhostFlowNode["data"]): string =>
  [
    `Proposed: ${title || "without a title"}`,
    priority && `${priority} priority`,
    worst && (worst === "fatal" ? "has a problem" : "has a warning"),
  ]
    .filter(Boolean)
    .join(", ");

/** A piece of a plan that nobody has approved yet. */
export const GhostNode = memo(function GhostNode({ data }: NodeProps<GhostFlowNode>) {
  const { part, title, note, files, priority, worst } = data;
  const key = keyOfPart(part);
  const selected = useSelection((state) => state.selected === key);
  const link = useLinkOn(part);
  const level = useZoomLevel();
  const claims = files.length === 1 ? files[0] : `${files.length} files`;
  return (
    <div
      // Said by the list beside the drawing.
      aria-hidden
      data-plan-part={part}
      className={cx(
        "flex h-full w-full flex-col justify-center gap-0.5 overflow-hidden rounded-lg border border-dashed bg-raised px-3 text-text",
        worst === "fatal" ? "border-danger" : worst === "warning" ? "border-warning" : "border-accent",
        selected && "outline-2 outline-accent",
        link === "target" && "outline-2 outline-accent",
        link === "dragged" && "opacity-45",
      )}
    >
      <i className="target absolute top-0 left-1/2 size-px" data-handlepos="top" />
      <i className="source absolute bottom-0 left-1/2 size-px" data-handlepos="bottom" />
      <span className="flex min-w-0 items-center gap-1.5">
        <span
          dir="auto"
          title={title}
          className={cx(
            "min-w-0 flex-1 truncate text-accent-text",
            level === "middle" ? "text-xl" : "font-medium",
          )}
        >
          {title || "without a title"}
        </span>
        {worst !== null && (
          <TriangleAlert
            size={13}
            className={cx("shrink-0", worst === "fatal" ? "text-danger" : "text-warning")}
            aria-hidden
          />
        )}
        {priority && level === "near" && <PriorityIcon priority={priority} />}
      </span>
      {level === "near" && (
        <span className="flex min-w-0 items-center gap-1.5 text-sm text-faint">
          <span className="min-w-0 shrink truncate">{note}</span>
          {files.length > 0 && (
            <span className="ml-auto flex min-w-0 shrink-0 items-center gap-1 font-mono text-xs">
              <FileText size={11} className="shrink-0" aria-hidden />
              <span className="max-w-32 truncate" title={files.map(shownName).join("\n")}>
                {claims}
              </span>
            </span>
          )}
        </span>
      )}
    </div>
  );
});

/** The stretch of a phase, behind its tasks. */
export const BandNode = memo(function BandNode({ data }: NodeProps<BandFlowNode>) {
  const { phase, title, tasks, proposed } = data;
  const target = usePlanLink(({ target }) => target?.kind === "phase" && target.phase === phase);
  const level = useZoomLevel();
  return (
    <div
      data-phase-band={phase}
      className={cx(
        "relative h-full w-full rounded-lg border",
        target ? "border-accent bg-accent-soft" : "border-line bg-sunken/60",
      )}
    >
      <div
        className="flex h-full flex-col gap-0.5 overflow-hidden py-2 pr-2 pl-2.5 text-sm"
        style={{ width: bandLabel }}
      >
        <span className={cx("font-medium text-muted", level === "middle" && "text-lg")}>Phase {phase}</span>
        {level === "near" && <span className="line-clamp-2 text-faint">{title}</span>}
        {level === "near" && (
          <button
            type="button"
            tabIndex={-1}
            aria-label={`Add a task to phase ${phase}`}
            onClick={() => (proposed ? addPlannedTask(phase) : askForTask(phase))}
            className="nopan mt-auto inline-flex h-5 w-fit items-center gap-1 rounded-sm border border-transparent pr-1.5 text-accent-text hover:border-accent"
          >
            <Plus size={12} aria-hidden />
            Task
          </button>
        )}
      </div>
      {tasks === 0 && proposed && level === "near" && (
        <p
          className="absolute top-1/2 -translate-y-1/2 text-sm text-faint"
          style={{ left: bandLabel + nodeWidth / 2 + 16 }}
        >
          No task yet: double click adds one
        </p>
      )}
    </div>
  );
});
