// biome-ignore-all lint/a11y/useFocusableInteractive: the list has the focus and names its active part
/** A proposed plan in the log: its parts as they would appear above the base commit of the run. */
import { useEffect, useMemo, useRef, useState } from "react";
import type { Plan, PlanProblem } from "#shared/domain/plan/plan.ts";
import type { Change } from "#shared/graph/change.ts";
import { buildGraph } from "#shared/graph/change-graph.ts";
import { foldHistory } from "#shared/graph/history-folding.ts";
import { layoutLanes } from "#shared/graph/lanes.ts";
import { type PlanPart, partDependencies, planPlaces, taskOfPart } from "#shared/graph/plan-layout.ts";
import { keyOfPart, partOfKey, planPartMenu } from "../../features/plan/plan-actions.ts";
import { cx } from "../../kit/class-names.ts";
import { MenuAt, type OpenMenu } from "../../kit/menu.tsx";
import { useLinkOn } from "../../state/plan-link-store.ts";
import { useRowHeight } from "../../state/preferences.ts";
import { inspect, select, useSelection } from "../../state/selection-store.ts";
import { PlanLinkBanner } from "../plan/plan-link-banner.tsx";
import type { ProposedPlan } from "../plan/proposed-plan.ts";
import { usePlanDrag } from "../plan/use-plan-drag.ts";
import { planKey } from "../plan/use-plan-keys.ts";
import { worstOf } from "../plan/worst-problem.ts";
import { linkLook, PlannedFacts } from "../plan-canvas/planned-lane.tsx";
import { LaneLabel } from "../run-canvas/lane-label.tsx";
import { LaneCell } from "./lane-cell.tsx";
import { laneRowAt } from "./lane-chunks.ts";

const noUser = { name: "", email: "" };

/** The parts as if they were changes already, so that the same lanes are drawn for them. */
function asChanges({ plan, isOnContracts }: ProposedPlan): readonly Change[] {
  const places = planPlaces(plan, isOnContracts);
  const dependencies = partDependencies(plan, isOnContracts);
  return [...places]
    .sort((a, b) => b.level - a.level || a.column - b.column)
    .map(({ part }) => ({
      commitId: part,
      changeId: part,
      parents: dependencies.flatMap(({ upper, lower }) => (upper === part && lower !== null ? [lower] : [])),
      description: part,
      author: noUser,
      timestamp: 0,
      metadata: {},
      immutable: false,
      divergent: false,
      conflict: false,
    }));
}

interface PlanGhostsProps {
  readonly proposed: ProposedPlan;
  /** The walk with the arrows left the plan downwards. */
  readonly onLeave: () => void;
}

export function PlanGhosts({ proposed, onLeave }: PlanGhostsProps) {
  const { plan, problems } = proposed;
  const drag = usePlanDrag();
  const list = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const selected = useSelection((state) => state.selected);
  const { rows, lanes } = useLanes(proposed);
  const worst = worstOf(problems);

  // What is selected elsewhere comes into sight here.
  useEffect(() => {
    const part = partOfKey(selected);
    if (part !== null) document.getElementById(rowId(part))?.scrollIntoView({ block: "nearest" });
  }, [selected]);

  return (
    <section
      aria-label="Proposed plan"
      className="max-h-[55%] shrink-0 overflow-y-auto border-b bg-sunken/60"
    >
      <div
        ref={list}
        role="listbox"
        aria-label="Parts of the proposed plan"
        aria-activedescendant={partOfKey(selected) === null ? undefined : rowId(partOfKey(selected) ?? "")}
        tabIndex={0}
        data-plan-list
        className="relative py-1 outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--accent)]"
        onKeyDown={(event) => {
          const taken = planKey(event, {
            walk: (part, key) => walkRows(rows, part, key),
            leave: onLeave,
            openMenu: (part) => {
              const box = document.getElementById(rowId(part))?.getBoundingClientRect();
              setMenu({ at: { x: (box?.left ?? 0) + 40, y: box?.bottom ?? 0 }, entries: planPartMenu(part) });
            },
          });
          const first = rows[0];
          if (taken || partOfKey(selected) !== null || first === undefined) return;
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          select(keyOfPart(first));
        }}
        onClick={(event) => {
          const part = partAt(event.target);
          if (part === null || drag.wasDrag()) return;
          list.current?.focus({ preventScroll: true });
          inspect(keyOfPart(part));
        }}
        onContextMenu={(event) => {
          const part = partAt(event.target);
          if (part === null) return;
          event.preventDefault();
          select(keyOfPart(part));
          setMenu({ at: { x: event.clientX, y: event.clientY }, entries: planPartMenu(part) });
        }}
        {...drag.handlers}
      >
        {rows.map((part, index) => (
          <GhostRow
            key={part}
            part={part}
            plan={plan}
            worst={worst.get(taskOfPart(part) ?? "") ?? null}
            lane={laneRowAt(lanes, index)}
            width={lanes.width}
          />
        ))}
      </div>
      <PlanLinkBanner />
      <MenuAt at={menu?.at ?? null} entries={menu?.entries ?? []} onClose={() => setMenu(null)} />
    </section>
  );
}

/** The parts from top to bottom, and the lanes between them. */
function useLanes(proposed: ProposedPlan) {
  return useMemo(() => {
    const graph = foldHistory(
      buildGraph({ operation: "", changes: asChanges(proposed), refs: { bookmarks: {}, workspaces: {} } }),
      { open: new Set(), keep: () => true },
    );
    const parts = graph.rows.flatMap((row) => (row.kind === "change" ? [row.change.commitId] : []));
    return { rows: parts, lanes: layoutLanes(graph) };
  }, [proposed]);
}

/** Where a key leads from a part; `below` leaves the plan downwards. */
function walkRows(rows: readonly PlanPart[], part: PlanPart, key: string): PlanPart | "below" | null {
  const at = rows.indexOf(part);
  switch (key) {
    case "ArrowUp":
      return rows[at - 1] ?? null;
    case "ArrowDown":
      return rows[at + 1] ?? "below";
    case "Home":
      return rows[0] ?? null;
    case "End":
      return rows.at(-1) ?? null;
    default:
      return null;
  }
}

const partAt = (target: EventTarget | null): PlanPart | null =>
  (target instanceof Element && target.closest<HTMLElement>("[data-plan-part]")?.dataset.planPart) || null;

const rowId = (part: PlanPart): string => `plan-row-${part}`;

interface GhostRowProps {
  readonly part: PlanPart;
  readonly plan: Plan;
  readonly worst: PlanProblem["severity"] | null;
  readonly lane: ReturnType<typeof laneRowAt>;
  readonly width: number;
}

function GhostRow({ part, plan, worst, lane, width }: GhostRowProps) {
  const selected = useSelection((state) => state.selected === keyOfPart(part));
  const link = useLinkOn(part);
  const rowHeight = useRowHeight();
  const task = plan.tasks.find(({ id }) => id === taskOfPart(part));
  const title = task ?? (part === "contracts" ? plan.contracts : plan.integration);
  return (
    <div
      role="option"
      id={rowId(part)}
      aria-selected={selected}
      data-plan-part={part}
      className={cx(
        "flex items-center gap-2 pr-3 pl-1.5",
        selected ? "bg-selected" : "hover:bg-hover",
        linkLook(link),
      )}
      style={{ height: rowHeight }}
    >
      <span className="opacity-70 [&_path]:[stroke-dasharray:2_3]">
        {lane && <LaneCell row={lane} lanes={width} shape="empty" />}
      </span>
      <LaneLabel
        state="planned"
        detail="line"
        title={title?.title ?? ""}
        doing={task ? `phase ${task.phase}` : part}
        tone="faint"
        facts={task && <PlannedFacts task={task} worst={worst} />}
      />
    </div>
  );
}
