import { EdgeLabelRenderer, type EdgeProps, useStore } from "@xyflow/react";
import { FileWarning, Import } from "lucide-react";
import { memo } from "react";
import type { ProblemGroup } from "#shared/domain/plan/problem-words.ts";
import { laneGap, nodeHeight, nodeWidth } from "#shared/graph/canvas-layout.ts";
import { taskPart } from "#shared/graph/plan-layout.ts";
import { keyOfPart } from "../../features/plan/plan-parts.ts";
import { Menu } from "../../kit/menu.tsx";
import { editDraft, shownDraft, usePlanDrafts } from "../../state/plan-draft.ts";
import { linkPreview, usePlanLink } from "../../state/plan-link-store.ts";
import type { ClaimFlowEdge, GhostFlowEdge, PhaseFlowEdge } from "../plan/plan-elements.ts";
import { radarPath } from "./canvas-radar.tsx";

const bend = 30;

/** From the upper part down to what it stands on, in the column that nothing stands in the way of. */
function ghostPath(x1: number, y1: number, x2: number, y2: number, way: "lower" | "upper" | "gap"): string {
  if (Math.abs(x1 - x2) < 1 && way !== "gap") return `M${x1} ${y1}V${y2}`;
  const curve = (fromX: number, fromY: number, toX: number, toY: number): string => {
    const half = (fromY + toY) / 2;
    return `C${fromX} ${half} ${toX} ${half} ${toX} ${toY}`;
  };
  const low = Math.min(y1 + bend, y2);
  const high = Math.max(y2 - bend, y1);
  if (way === "lower") return `M${x1} ${y1}${curve(x1, y1, x2, low)}V${y2}`;
  if (way === "upper") return `M${x1} ${y1}V${high}${curve(x1, high, x2, y2)}`;
  const between = x2 + (x1 < x2 ? -1 : 1) * ((nodeWidth + laneGap) / 2);
  return `M${x1} ${y1}${curve(x1, y1, between, low)}V${high}${curve(between, high, x2, y2)}`;
}

export const GhostEdge = memo(function GhostEdge(props: EdgeProps<GhostFlowEdge>) {
  const { sourceX, sourceY, targetX, targetY, data, source, target } = props;
  // A link that the drop would take away, or the one that it would make anew, is told by its colour.
  const leaving = usePlanLink(({ task, target: aimed }) => {
    if (task === null || aimed?.kind !== "part" || keyOfPart(taskPart(task)) !== source) return false;
    return keyOfPart(aimed.part) === target;
  });
  return (
    <path
      d={ghostPath(sourceX, sourceY, targetX, targetY, data?.way ?? "lower")}
      fill="none"
      stroke={leaving ? "var(--danger)" : "var(--accent)"}
      strokeWidth={1.75}
      strokeOpacity={0.75}
      strokeDasharray="4 5"
    />
  );
});

/** A phase waits for all of the one below it. */
export const PhaseEdge = memo(function PhaseEdge({
  sourceX,
  sourceY,
  targetX,
  targetY,
}: EdgeProps<PhaseFlowEdge>) {
  return (
    <g fill="none" stroke="var(--accent)" strokeWidth={2.5} strokeOpacity={0.75} strokeLinecap="round">
      <path d={`M${sourceX} ${sourceY}L${targetX} ${targetY}`} data-phase-edge />
      <path d={`M${sourceX - 6} ${sourceY + 7}L${sourceX} ${sourceY + 1}l6 6`} strokeLinejoin="round" />
    </g>
  );
});

const iconOf = { overlap: FileWarning, import: Import } as const;

/** Two tasks that would meet in a file: a line between them, and a button that offers the ways out. */
export const ClaimEdge = memo(function ClaimEdge({
  sourceX,
  sourceY,
  targetX,
  targetY,
  data,
}: EdgeProps<ClaimFlowEdge>) {
  const problem = data?.problem;
  if (!problem) return null;
  const path = radarPath(sourceX, sourceY, targetX, targetY);
  const { x, y } = middleOf(sourceX, sourceY, targetX, targetY);
  return (
    <>
      <path
        d={path}
        fill="none"
        stroke="var(--warning)"
        strokeWidth={2}
        strokeLinecap="round"
        strokeDasharray={problem.kind === "overlap" ? "0.1 5" : "1 7"}
        data-claim={problem.tasks.join(" ")}
      />
      {data.hasButton && (
        <EdgeLabelRenderer>
          <div
            className="nopan absolute"
            style={{
              transform: `translate(-50%, -50%) translate(${x}px, ${y}px)`,
              pointerEvents: "all",
              zIndex: 2,
            }}
          >
            <ClaimButton problem={problem} />
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});

/** Where the line between two parts is farthest from both. */
function middleOf(x1: number, bottom: number, x2: number, top: number): { x: number; y: number } {
  const [y1, y2] = [bottom - nodeHeight / 2, top + nodeHeight / 2];
  if (Math.abs(y1 - y2) < nodeHeight / 2)
    return { x: (x1 + x2) / 2, y: Math.min(y1, y2) - nodeHeight / 2 - 20 };
  if (Math.abs(x1 - x2) < nodeWidth / 2) return { x: x1 + nodeWidth / 2 + 20, y: (y1 + y2) / 2 };
  return { x: (x1 + x2) / 2, y: (y1 + y2) / 2 };
}

function ClaimButton({ problem }: { readonly problem: ProblemGroup }) {
  const draft = usePlanDrafts(shownDraft);
  const Icon = iconOf[problem.kind === "import" ? "import" : "overlap"];
  if (!draft) return null;
  return (
    <Menu
      trigger={
        <button
          type="button"
          tabIndex={-1}
          title={problem.text}
          className="inline-flex h-6 items-center gap-1 rounded-full border border-warning bg-raised px-2 text-xs font-medium text-warning hover:bg-warning-soft"
        >
          <Icon size={12} aria-hidden />
          {problem.kind === "import"
            ? "imports"
            : problem.tasks.length === 2
              ? "same file"
              : `same file in ${problem.tasks.length} tasks`}
          <span className="sr-only">{`: ${problem.text} What to do`}</span>
        </button>
      }
      entries={problem.remedies.map(({ label, edits }) => ({
        label,
        onSelect: () => editDraft(draft.item.id, ...edits),
      }))}
    />
  );
}

/** The link that a drop would make, over all that is drawn. */
export function LinkPreviewLine({
  placeOf,
}: {
  readonly placeOf: (key: string) => { readonly x: number; readonly y: number } | undefined;
}) {
  const { task, target } = usePlanLink();
  const draft = usePlanDrafts(shownDraft);
  const [x, y, zoom] = useStore((state) => state.transform);
  if (!draft || task === null || target?.kind !== "part") return null;
  const from = placeOf(keyOfPart(taskPart(task)));
  const to = placeOf(keyOfPart(target.part));
  const preview = linkPreview(draft.plan, task, target);
  if (!from || !to || !preview || preview.edits.some((edit) => edit.kind === "unlink")) return null;
  const centre = (place: { readonly x: number; readonly y: number }): readonly [number, number] => [
    place.x + nodeWidth / 2,
    place.y + nodeHeight / 2,
  ];
  const [x1, y1] = centre(from);
  const [x2, y2] = centre(to);
  const refused = preview.outcome.kind === "refused";
  return (
    <svg className="pointer-events-none absolute inset-0 z-10 size-full" aria-hidden="true">
      <g transform={`translate(${x} ${y}) scale(${zoom})`}>
        <path
          d={`M${x1} ${y1}L${x2} ${y2}`}
          stroke={refused ? "var(--danger)" : "var(--accent)"}
          strokeWidth={2.5}
          strokeLinecap="round"
        />
        <circle cx={x2} cy={y2} r={5} fill={refused ? "var(--danger)" : "var(--accent)"} />
      </g>
    </svg>
  );
}
