/** A proposed plan as it would stand on the graph: dashed, above the change that it builds on. */
import { Ghost } from "lucide-react";
import type { Plan } from "#shared/domain/plan.ts";
import { PriorityIcon } from "../kit/priority-icon.tsx";
import { useHost } from "../state/host-store.ts";
import { showInbox } from "../state/selection-store.ts";
import { laneColour, rowHeight } from "./lane-cell.tsx";

/** The plan on screen while it waits for approval. */
export const useProposedPlan = (): Plan | null =>
  useHost((state) =>
    state.run && state.run.endedAt === null && !state.run.planApproved ? state.run.plan : null,
  );

interface GhostRow {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly lane: number;
  readonly shape: "integration" | "task" | "base";
  readonly priority: Plan["tasks"][number]["priority"] | null;
}

/** Rows from the integration at the top down to the contracts (unless their change is there already), one lane for each task of a phase. */
export function ghostRows(plan: Plan, standsOnContracts: boolean): readonly GhostRow[] {
  const rows: GhostRow[] = [];
  if (plan.integration) {
    rows.push({
      id: "integration",
      title: plan.integration.title,
      note: "integration",
      lane: 0,
      shape: "integration",
      priority: null,
    });
  }
  for (const phase of [...plan.phases].sort((a, b) => b.number - a.number)) {
    plan.tasks
      .filter((task) => task.phase === phase.number)
      .forEach((task, index) => {
        rows.push({
          id: task.id,
          title: task.title,
          note: `phase ${phase.number}: ${phase.title}`,
          lane: index,
          shape: "task",
          priority: task.priority,
        });
      });
  }
  if (standsOnContracts) return rows;
  rows.push({
    id: "contracts",
    title: plan.contracts.title,
    note: "contracts",
    lane: 0,
    shape: "base",
    priority: null,
  });
  return rows;
}

export function PlanGhosts() {
  const plan = useProposedPlan();
  const contracts = useHost((state) => (state.run?.base ?? null) !== null);
  if (!plan) return null;
  const rows = ghostRows(plan, contracts);
  const lanes = Math.max(1, ...rows.map((row) => row.lane + 1));
  const width = lanes * 14 + 8;
  const middle = rowHeight / 2;
  return (
    <section
      aria-label="Proposed plan"
      className="max-h-[45%] shrink-0 overflow-y-auto border-b bg-accent-soft/40"
    >
      <div className="sticky top-0 z-10 flex h-8 items-center gap-2 bg-accent-soft px-3 text-accent-text">
        <Ghost size={14} aria-hidden />
        <span className="min-w-0 flex-1 truncate">
          Proposed plan: {plan.tasks.length} {plan.tasks.length === 1 ? "task" : "tasks"}, nothing is written
          yet
        </span>
        <button
          type="button"
          onClick={showInbox}
          className="shrink-0 text-sm font-medium underline-offset-2 hover:underline"
        >
          Review and approve
        </button>
      </div>
      <ul>
        {rows.map((row, index) => (
          <li
            key={row.id}
            className="flex items-center gap-2 pr-3 pl-1.5 opacity-80"
            style={{ height: rowHeight }}
          >
            <svg width={width} height={rowHeight} aria-hidden="true" className="shrink-0">
              <g fill="none" stroke="var(--accent)" strokeWidth="1.5" strokeDasharray="2 3">
                {Array.from({ length: row.shape === "task" ? lanes : 1 }, (_, lane) => lane)
                  .filter(
                    (lane) =>
                      lane === row.lane ||
                      rows.some((other) => other.shape === "task" && other.lane === lane),
                  )
                  .map((lane) => (
                    <path key={lane} d={`M${lane * 14 + 9} ${index === 0 ? middle : 0}V${rowHeight}`} />
                  ))}
                {row.shape !== "task" &&
                  Array.from({ length: lanes - 1 }, (_, lane) => lane + 1).map((lane) => (
                    <path
                      key={lane}
                      d={
                        row.shape === "integration"
                          ? `M9 ${middle}Q${lane * 14 + 9} ${middle} ${lane * 14 + 9} ${rowHeight}`
                          : `M9 ${middle}Q${lane * 14 + 9} ${middle} ${lane * 14 + 9} 0`
                      }
                    />
                  ))}
              </g>
              <circle
                cx={row.lane * 14 + 9}
                cy={middle}
                r="4.5"
                fill="var(--surface)"
                stroke={laneColour(row.lane)}
                strokeWidth="1.5"
                strokeDasharray="2.5 2"
              />
            </svg>
            <span className="min-w-0 truncate">{row.title}</span>
            <span className="flex-1" />
            <span className="shrink-0 truncate text-sm text-faint">{row.note}</span>
            {row.priority && <PriorityIcon priority={row.priority} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
