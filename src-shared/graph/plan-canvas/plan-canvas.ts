/** A proposed plan in the layout that its run will have: lanes below each other, phases along time. */
import { inOrder, type Plan } from "../../domain/plan/plan.ts";
import type { ProblemGroup } from "../../domain/plan/problem-texts.ts";
import { contractsPart, integrationPart, type PlanPart, taskPart } from "../plan-layout.ts";
import type { Room, RunCanvasInput } from "../run-canvas/canvas-input.ts";
import { layOutRun } from "../run-canvas/layout.ts";
import { type CanvasColumns, middleOf, type Point, type RowDetail } from "../run-canvas/run-canvas.ts";

export interface PlanCanvasInput {
  readonly plan: Plan;
  readonly ahead: RunCanvasInput["ahead"];
  readonly room: Room;
  /** Problems of the plan; those of files that several claim are drawn between their lanes. */
  readonly problems: readonly ProblemGroup[];
}

export interface PlanCanvas {
  readonly columns: CanvasColumns;
  readonly phases: readonly PlannedPhase[];
  /** From top to bottom. */
  readonly rows: readonly PlannedRow[];
  readonly rowsTop: number;
  readonly rowsBottom: number;
  readonly waits: readonly PlannedWait[];
  readonly claims: readonly ClaimBracket[];
}

/** Tasks that would meet in a file: a line through their lanes, and a button that offers the ways out. */
interface ClaimBracket {
  readonly problem: ProblemGroup;
  readonly x: number;
  /** The middle of each lane that it touches, from top to bottom. */
  readonly lanes: readonly number[];
  readonly button: { readonly x: number; readonly y: number };
}

/** px */
const slot = 12;
const firstSlot = 14;
const slotsGap = 10;
/** Height of a button with the room that it keeps free. */
export const claimButtonRoom = 28;
/** More are read in the list of problems. */
const maxBrackets = 12;

/**
 * In separate columns if they share lanes; buttons do not overlap.
 *
 * @param end px where the phases end
 */
function claimBrackets(
  problems: readonly ProblemGroup[],
  rows: readonly PlannedRow[],
  end: number,
): readonly ClaimBracket[] {
  const meetings = problems
    .filter(({ kind }) => kind === "overlap" || kind === "import")
    .slice(0, maxBrackets)
    .map((problem) => {
      const parts = new Set(problem.tasks.map(taskPart));
      const lanes = rows.filter(({ part }) => parts.has(part)).map(({ y, height }) => y + height / 2);
      return { problem, lanes, top: lanes[0] ?? 0, bottom: lanes.at(-1) ?? 0 };
    })
    .filter(({ lanes }) => lanes.length > 1)
    .sort((one, other) => one.top - other.top || one.bottom - other.bottom);
  const taken: number[] = [];
  const placed = meetings.map((meeting) => {
    const free = taken.findIndex((bottom) => bottom < meeting.top);
    const at = free < 0 ? taken.length : free;
    taken[at] = meeting.bottom;
    return { ...meeting, at };
  });
  const buttons = end + firstSlot + Math.max(0, taken.length - 1) * slot + slotsGap;
  let least = -Infinity;
  return placed.map(({ problem, lanes, top, bottom, at }) => {
    const y = Math.max(least, Math.round((top + bottom) / 2));
    least = y + claimButtonRoom;
    return { problem, lanes, x: end + firstSlot + at * slot, button: { x: buttons, y } };
  });
}

interface PlannedPhase {
  readonly number: number;
  readonly title: string;
  readonly x: number;
  readonly width: number;
  /**
   * Whether it starts when the whole phase before it is done: then that is shown once, and not task by task.
   */
  readonly waitsForPhase: boolean;
  /** The contiguous lanes of its tasks; null if it has none. */
  readonly band: { readonly top: number; readonly bottom: number; readonly tasks: number } | null;
}

/** A task that waits for another one by name. */
export interface PlannedWait {
  readonly id: string;
  readonly upper: PlanPart;
  readonly lower: PlanPart;
  readonly from: Point;
  readonly to: Point;
}

/** px between a box and the edge of its column, and between two boxes. */
const boxGap = 6;
const minBoxSize = 8;

/**
 * Lays out a proposed plan exactly as its run's canvas at the start, so that approval moves nothing. Inside a
 * phase's column, a task is right of those it waits for.
 */
export function planCanvas({ plan, ahead, room, problems }: PlanCanvasInput): PlanCanvas {
  const run = layOutRun({
    root: {
      orchestrator: "",
      title: "",
      phases: plan.phases,
      tasks: plan.tasks.map(({ title, phase, priority }, index) => ({
        ...{ id: String(index), title, phase, priority },
        ...{ rank: null, worker: null, isFinished: false, part: null },
      })),
    },
    ...{
      timeline: null,
      ahead,
      radar: [],
      waiting: [],
      now: 0,
      room,
      window: null,
      isFollowingNow: true,
      folded: {},
    },
  });
  const steps = stepsInPhase(plan);
  const phases = run.phases.map(({ number, title, x, width }, at): PlannedPhase => {
    const lanes = run.rows.filter(({ phase }) => phase === number);
    const [top, bottom] = [lanes[0], lanes.at(-1)];
    return {
      ...{ number, title, x, width },
      waitsForPhase: at > 0 && plan.tasks.some((task) => task.phase === number && namesNobody(plan, task)),
      band: top && bottom ? { top: top.y, bottom: bottom.y + bottom.height, tasks: lanes.length } : null,
    };
  });
  const rows = run.rows.map(({ id, y, height, detail }): PlannedRow => {
    const index = Number(id);
    const task = plan.tasks[index];
    const phase = phases.find(({ number }) => number === task?.phase) ?? phases.at(-1);
    const { step, of } = steps[index] ?? { step: 0, of: 1 };
    const left = (phase?.x ?? run.columns.now) + boxGap;
    const share = Math.max(minBoxSize, ((phase?.width ?? 0) - boxGap) / of);
    return {
      ...{ id, part: taskPart(task?.id ?? ""), index, y, height, detail },
      box: {
        x: Math.round(left + step * share),
        width: Math.round(Math.max(minBoxSize, share - boxGap)),
      },
    };
  });
  const end = Math.max(...phases.map(({ x, width }) => x + width), run.columns.now);
  return {
    columns: run.columns,
    phases,
    rows,
    rowsTop: run.rowsTop,
    rowsBottom: run.rowsBottom,
    waits: waitsOf(plan, rows),
    claims: claimBrackets(problems, rows, end),
  };
}

interface Step {
  /** 0 for a task without dependencies in its phase. */
  readonly step: number;
  /** How many its phase has. */
  readonly of: number;
}

/** For each task, in the plan's order: its depth of dependencies within its phase. */
function stepsInPhase(plan: Plan): readonly Step[] {
  const steps = new Map<Plan["tasks"][number], number>();
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  // In a cycle, the first task counts as having no dependency.
  for (const task of inOrder(plan.tasks)) {
    const before = task.after.flatMap((id) => {
      const other = byId.get(id);
      return other?.phase === task.phase ? (steps.get(other) ?? []) : [];
    });
    steps.set(task, 1 + Math.max(-1, ...before));
  }
  const last = new Map<number, number>();
  for (const [{ phase }, step] of steps) last.set(phase, Math.max(last.get(phase) ?? 0, step));
  return plan.tasks.map((task) => ({ step: steps.get(task) ?? 0, of: 1 + (last.get(task.phase) ?? 0) }));
}

const namesNobody = (plan: Plan, { after }: Plan["tasks"][number]): boolean =>
  !after.some((id) => plan.tasks.some((other) => other.id === id));

function waitsOf(plan: Plan, rows: readonly PlannedRow[]): readonly PlannedWait[] {
  const byPart = new Map(rows.map((row) => [row.part, row]));
  return rows.flatMap((row) =>
    (plan.tasks[row.index]?.after ?? []).flatMap((id): readonly PlannedWait[] => {
      const lower = byPart.get(taskPart(id));
      if (!lower || lower === row) return [];
      return [
        {
          ...{ id: `${row.id} ${lower.id}`, upper: row.part, lower: lower.part },
          from: { x: lower.box.x + lower.box.width, y: middleOf(lower) },
          to: { x: row.box.x, y: middleOf(row) },
        },
      ];
    }),
  );
}

/** The lane of a planned task. */
export interface PlannedRow {
  /** Its name among what is drawn; two tasks of one id have two. */
  readonly id: string;
  readonly part: PlanPart;
  /** Its place in the plan. */
  readonly index: number;
  readonly y: number;
  readonly height: number;
  readonly detail: RowDetail;
  /** The position of its work, in the column of its phase. */
  readonly box: { readonly x: number; readonly width: number };
}

/** Every part as it is read: contracts, the lanes from top to bottom, and where they come together. */
export const partsOf = ({ columns, rows }: Pick<PlanCanvas, "columns" | "rows">): readonly PlanPart[] => [
  ...(columns.contracts ? [contractsPart] : []),
  ...rows.map(({ part }) => part),
  ...(columns.integrate ? [integrationPart] : []),
];

const nearest = (rows: readonly PlannedRow[], y: number): PlannedRow | undefined =>
  [...rows].sort((a, b) => Math.abs(a.y - y) - Math.abs(b.y - y))[0];

/** The next row along time on one side: the nearest column, and there the nearest lane. */
function along(rows: readonly PlannedRow[], from: PlannedRow, by: 1 | -1): PlannedRow | undefined {
  const there = rows.filter(({ box }) => (box.x - from.box.x) * by > 0);
  const x = Math.min(...there.map(({ box }) => box.x * by)) * by;
  return nearest(
    there.filter(({ box }) => box.x === x),
    from.y,
  );
}

/** The part that a key leads to: up and down by lanes, left and right along time. Null: nowhere. */
export function walkPlanCanvas(canvas: PlanCanvas, part: PlanPart, key: string): PlanPart | null {
  const parts = partsOf(canvas);
  const { rows } = canvas;
  const row = rows.find((one) => one.part === part);
  switch (key) {
    case "ArrowUp":
      return parts[parts.indexOf(part) - 1] ?? null;
    case "ArrowDown":
      return parts[parts.indexOf(part) + 1] ?? null;
    case "ArrowRight":
      if (!row) return part === contractsPart ? (parts[1] ?? null) : null;
      return along(rows, row, 1)?.part ?? (canvas.columns.integrate ? integrationPart : null);
    case "ArrowLeft":
      if (!row) return part === integrationPart ? (rows.at(-1)?.part ?? null) : null;
      return along(rows, row, -1)?.part ?? (canvas.columns.contracts ? contractsPart : null);
    case "Home":
      return rows[0]?.part ?? parts[0] ?? null;
    case "End":
      return rows.at(-1)?.part ?? parts.at(-1) ?? null;
    default:
      return null;
  }
}
