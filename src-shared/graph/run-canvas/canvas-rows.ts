/** Which rows there are, in which order, and how high each is. */
import { compareQueued } from "../../domain/change-metadata/rank.ts";
import type { CanvasPart, CanvasTask, RunCanvasInput } from "./canvas-input.ts";
import type { PartCounts, RowDetail } from "./run-canvas.ts";

/** px */
export const minRowHeight = 20;
export const maxRow = 320;
const partRow = 34;
/** From this many lanes on, parts fold automatically. */
const manyLanes = 50;

export interface PlacedRow {
  readonly task: CanvasTask;
  readonly kind: "lane" | "part";
  readonly orchestrator: string;
  readonly depth: number;
  readonly isFolded: boolean;
  readonly below: PartCounts;
  readonly isFinished: boolean;
  readonly height: number;
}

/**
 * All lanes share the height that there is, finished ones too: a lane that is merged or comes back moves no other.
 *
 * @param room px for all rows; where they need more they are scrolled
 */
export function placedRows(
  input: Pick<RunCanvasInput, "root" | "folded" | "waiting">,
  room: number,
): readonly PlacedRow[] {
  const isLarge = lanesOf(input.root) >= manyLanes;
  const asking = new Set(input.waiting.flatMap(({ worker }) => worker ?? []));
  const rows = rowsOf(input.root, 0, { isFolded: (part) => input.folded[part] ?? isLarge, asking });
  const isHeading = (row: Row): boolean => row.kind === "part" && !row.isFolded;
  const headings = rows.filter(isHeading).length;
  const share = Math.floor(Math.max(0, room - headings * partRow) / Math.max(1, rows.length - headings));
  const height = Math.min(maxRow, Math.max(minRowHeight, share));
  return rows.map((row) => ({ ...row, height: isHeading(row) ? partRow : height }));
}

type Row = Omit<PlacedRow, "height">;

interface Reading {
  readonly isFolded: (part: string) => boolean;
  /** Workers with cards that wait for the user. */
  readonly asking: ReadonlySet<string>;
}

const nothingBelow: PartCounts = { lanes: 0, done: 0, asking: 0 };

function rowsOf({ orchestrator, tasks }: CanvasPart, depth: number, reading: Reading): readonly Row[] {
  return queued(tasks).flatMap((task): readonly Row[] => {
    const { part } = task;
    const lane = { task, orchestrator, depth, isFinished: task.isFinished };
    if (!part || part.tasks.length === 0)
      return [{ ...lane, kind: "lane", isFolded: false, below: nothingBelow }];
    const hidden = reading.isFolded(part.orchestrator);
    const own: Row = { ...lane, kind: "part", isFolded: hidden, below: countsOf(part, reading.asking) };
    return hidden ? [own] : [own, ...rowsOf(part, depth + 1, reading)];
  });
}

/** A phase after the one before it, and inside it the order of the queue; where nothing says one, that of the plan. */
function queued(tasks: readonly CanvasTask[]): readonly CanvasTask[] {
  const keyed = tasks.map((task, index) => ({ ...task, task, id: String(index).padStart(6, "0") }));
  return keyed.sort((a, b) => a.phase - b.phase || compareQueued(a, b)).map(({ task }) => task);
}

function countsOf({ orchestrator, tasks }: CanvasPart, asking: Reading["asking"]): PartCounts {
  const own = { ...nothingBelow, asking: asking.has(orchestrator) ? 1 : 0 };
  return tasks.reduce<PartCounts>((sum, task) => {
    const isPart = task.part !== null && task.part.tasks.length > 0;
    const one =
      isPart && task.part
        ? countsOf(task.part, asking)
        : {
            lanes: 1,
            done: task.isFinished ? 1 : 0,
            asking: task.worker !== null && asking.has(task.worker) ? 1 : 0,
          };
    return {
      lanes: sum.lanes + one.lanes,
      done: sum.done + one.done,
      asking: sum.asking + one.asking,
    };
  }, own);
}

const lanesOf = ({ tasks }: CanvasPart): number =>
  tasks.reduce((sum, { part }) => sum + (part && part.tasks.length > 0 ? lanesOf(part) : 1), 0);

/** What a row of that height has room for, at text of 11 px and more. */
export const detailOf = (height: number): RowDetail =>
  height >= 128 ? "full" : height >= 58 ? "three" : height >= 36 ? "two" : "line";
