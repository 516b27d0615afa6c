/** Drawn over planned lanes: dependencies between tasks, and files that several tasks claim. */
import { FileWarning, Import } from "lucide-react";
import type { ProblemGroup } from "#shared/domain/plan/problem-texts.ts";
import type { PlanCanvas, PlannedWait } from "#shared/graph/plan-canvas/plan-canvas.ts";
import { taskPart } from "#shared/graph/plan-layout.ts";
import { Menu } from "../../kit/menu.tsx";
import { editDraft, type PlanDraft } from "../../state/plan-draft.ts";
import { linkPreview, usePlanLink } from "../../state/plan-link-store.ts";

interface LinesProps {
  readonly canvas: PlanCanvas;
  readonly draft: PlanDraft | null;
}

/** Leaves what is waited for along its lane, and comes along the lane into what waits. */
function waitPath({ from, to }: Pick<PlannedWait, "from" | "to">, top: number): string {
  const [y1, y2] = [from.y - top, to.y - top];
  const bend = Math.max(14, Math.min(48, Math.abs(to.x - from.x) / 2));
  return `M${from.x} ${y1}C${from.x + bend} ${y1} ${to.x - bend} ${y2} ${to.x} ${y2}`;
}

export function PlanWaits({ canvas, draft }: LinesProps) {
  const { rowsTop, rowsBottom, waits, rows } = canvas;
  const task = usePlanLink((state) => state.task);
  const target = usePlanLink((state) => state.target);
  const aimed = task !== null && target?.kind === "part" ? target.part : null;
  const made = draft && task !== null && aimed !== null ? linkPreview(draft, task, target) : null;
  const isTakenAway = made?.edits.some((edit) => edit.kind === "unlink") === true;
  const upper = rows.find(({ part }) => task !== null && part === taskPart(task));
  const lower = rows.find(({ part }) => part === aimed);
  return (
    <svg
      className="pointer-events-none absolute inset-x-0 top-0 z-[1] w-full overflow-visible"
      height={rowsBottom - rowsTop}
      aria-hidden="true"
    >
      {waits.map((wait) => {
        const isLeaving = isTakenAway && wait.upper === upper?.part && wait.lower === aimed;
        const colour = isLeaving ? "var(--danger)" : "var(--accent)";
        return (
          <g key={wait.id} data-plan-wait={`${wait.upper} ${wait.lower}`}>
            <path
              d={waitPath(wait, rowsTop)}
              fill="none"
              stroke={colour}
              strokeWidth={1.75}
              strokeOpacity={0.8}
            />
            <circle cx={wait.to.x} cy={wait.to.y - rowsTop} r={3} fill={colour} />
          </g>
        );
      })}
      {made && !isTakenAway && upper && lower && (
        <path
          data-plan-preview
          d={waitPath(
            {
              from: { x: lower.box.x + lower.box.width, y: lower.y + lower.height / 2 },
              to: { x: upper.box.x, y: upper.y + upper.height / 2 },
            },
            rowsTop,
          )}
          fill="none"
          stroke={made.outcome.kind === "refused" ? "var(--danger)" : "var(--accent)"}
          strokeWidth={2.5}
          strokeLinecap="round"
        />
      )}
    </svg>
  );
}

export function ClaimBrackets({ canvas: { claims, rowsTop, rowsBottom }, draft }: LinesProps) {
  if (!draft || claims.length === 0) return null;
  return (
    <>
      <svg
        className="pointer-events-none absolute inset-x-0 top-0 z-[1] w-full"
        height={rowsBottom - rowsTop}
        aria-hidden="true"
      >
        {claims.map(({ problem, x, lanes, button }) => (
          <g
            key={problem.key}
            data-claim={problem.tasks.join(" ")}
            fill="none"
            stroke="var(--warning)"
            strokeWidth={1.75}
            strokeLinecap="round"
            strokeDasharray="0.1 4"
          >
            <path d={`M${x} ${(lanes[0] ?? 0) - rowsTop}V${(lanes.at(-1) ?? 0) - rowsTop}`} />
            {lanes.map((y) => (
              <path key={y} d={`M${x - 8} ${y - rowsTop}H${x}`} />
            ))}
            <path d={`M${x} ${button.y - rowsTop}H${button.x}`} />
          </g>
        ))}
      </svg>
      {claims.map(({ problem, button }) => (
        <div
          key={problem.key}
          className="absolute z-[2] -translate-y-1/2"
          style={{ left: button.x, top: button.y - rowsTop }}
        >
          <ClaimButton problem={problem} draft={draft} />
        </div>
      ))}
    </>
  );
}

function ClaimButton({ problem, draft }: { readonly problem: ProblemGroup; readonly draft: PlanDraft }) {
  const Icon = problem.kind === "import" ? Import : FileWarning;
  return (
    <Menu
      trigger={
        <button
          type="button"
          tabIndex={-1}
          title={problem.text}
          className="inline-flex h-6 items-center gap-1 rounded-full border border-warning bg-raised px-2 text-xs font-medium whitespace-nowrap text-warning hover:bg-warning-soft"
        >
          <Icon size={12} aria-hidden />
          {problem.kind === "import"
            ? "imports"
            : `same ${problem.symbols.length === 0 ? "file" : "symbol"}${problem.tasks.length === 2 ? "" : ` in ${problem.tasks.length} tasks`}`}
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
