import type { ProblemGroup } from "../../domain/plan/problem-words.ts";
import { taskPart } from "../plan-layout.ts";
import type { PlannedRow } from "./planned-row.ts";

/** Tasks that would meet in a file: a line through their lanes, and a button that offers the ways out. */
export interface ClaimBracket {
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
 * Beside each other where they share lanes; no two buttons lie upon each other.
 *
 * @param end px where the phases end
 */
export function claimBrackets(
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
