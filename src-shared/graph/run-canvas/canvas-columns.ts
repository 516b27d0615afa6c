/** The places along x: names, contracts, the time that has passed, and what is still ahead. */
import { type DrawnTime, drawnTime, unshortened } from "../../domain/timeline/time-spans.ts";
import type { RunTimeline } from "../../domain/timeline/timeline.ts";
import type { CanvasPart, RunCanvasInput, TimeWindow } from "./canvas-input.ts";
import type { CanvasColumns, PhaseColumn } from "./run-canvas.ts";
import { followingNow, shownSpan, type TimeScale, timeScale, within } from "./time-scale.ts";

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** px from the contracts, or from the names, to the first lane's beginning: where the lines fan out. */
export const fan = 44;
const narrowFan = 24;
/** Below this width (px) words give way to signs. Large text in a small window is narrow, too. */
const narrow = 560;
const landRadius = 8;
/** Height of the row with the labels of the columns, and of the root's spine below it. */
export const labelsHeight = 24;
export const spineHeight = 58;
export const spineY = labelsHeight + 34;

export interface Columns {
  readonly columns: CanvasColumns;
  readonly scale: TimeScale;
  /** All that there is to show, and the present; drawn time. */
  readonly whole: TimeWindow;
  readonly now: number;
  readonly time: DrawnTime;
}

/** @returns the columns, and how time is drawn between them */
export function columnsOf(input: RunCanvasInput): Columns {
  const { width } = input.room;
  const margin = Math.round(clamp(width * 0.4, 168, 336));
  const boxWidth = width < narrow ? 40 : width < 760 ? 66 : 80;
  const contracts = input.ahead.hasContracts ? { x: margin + 8, width: boxWidth } : null;
  const start = (contracts ? contracts.x + contracts.width : margin) + (width < narrow ? narrowFan : fan);
  const isAhead = input.ahead.hasIntegration || input.ahead.seats > 0 || input.ahead.hasLanding;
  // Of a run that is over nothing is ahead: its time has all the room.
  const ahead = isAhead ? Math.round(clamp(width * 0.27, 112, 360)) : 2 * landRadius + 12;
  const end = Math.max(start + 40, width - ahead);
  const { timeline } = input;
  const time = timeline ? drawnTime(timeline.breaks, workBegan(timeline)) : unshortened;
  const present = time.drawn(lastMoment(input));
  const whole = wholeTime(timeline, present);
  const wanted = input.window && input.isFollowingNow ? followingNow(input.window, present) : input.window;
  const scale = timeScale(wanted ? within(wanted, whole) : whole, time, start, end);
  const now = scale.x(lastMoment(input));
  const { voted = 0 } = input.ahead;
  const votesReach = (Math.ceil(voted / 2) * seatGap) / 2;
  const votesAt = clamp(scale.x(judgedAt(input)), start + votesReach, now - votesReach - 8);
  const land = width - landRadius - 10;
  const integrate = input.ahead.hasIntegration
    ? { x: Math.round(end + ahead * 0.3), width: width < narrow ? 28 : width < 760 ? 58 : 72 }
    : null;
  return {
    columns: {
      margin,
      contracts,
      start,
      // In whole px: every open line ends there, and a second of a long run is less than one.
      now: clamp(Math.ceil(now), start, end),
      end,
      isNowShown: now >= start - 0.5 && now <= end + 0.5,
      integrate,
      seats: seatPlaces(input.ahead.seats, {
        from: integrate ? integrate.x + integrate.width / 2 : end,
        to: land - landRadius,
      }),
      votes: placesIn(2, { count: voted, x: votesAt, gap: seatGap, apart: 30 }),
      land,
    },
    scale,
    whole,
    now: present,
    time,
  };
}

/** px between the middles of two seats: as far as a pointer needs, and closer where there is no room for that. */
const seatGap = 24;

/** px around the sign of a seat */
const seatSize = 13;

/** In the middle of a space; one row, or two where there are more than three. */
function seatPlaces(
  count: number,
  { from, to }: { readonly from: number; readonly to: number },
): readonly { readonly x: number; readonly y: number }[] {
  const rows = count > 3 ? 2 : 1;
  const between = Math.max(1, Math.ceil(count / rows) - 1);
  const gap = Math.min(seatGap, (to - from - seatSize - 4) / between);
  return placesIn(rows, { count, x: Math.round((from + to) / 2), gap, apart: seatGap });
}

interface SeatRows {
  readonly count: number;
  /** px of their middle, the distance to the next column, and that between two rows */
  readonly x: number;
  readonly gap: number;
  readonly apart: number;
}

/** Around the spine. Votes always have two rows, above and below the mark of their count. */
function placesIn(
  rows: number,
  { count, x, gap, apart }: SeatRows,
): readonly { readonly x: number; readonly y: number }[] {
  const columns = Math.ceil(count / rows);
  return Array.from({ length: count }, (_, seat) => ({
    x: x + ((seat % columns) - (columns - 1) / 2) * gap,
    y: spineY + (Math.floor(seat / columns) - (rows - 1) / 2) * apart,
  }));
}

/** When votes were counted last; where that is not known, now. */
const judgedAt = (input: RunCanvasInput): number =>
  input.timeline?.tracks
    .find(({ id }) => id === input.root.orchestrator)
    ?.marks.findLast(({ kind }) => kind === "judged")?.at ?? lastMoment(input);

/** What is drawn as the present: the clock's, or the end of a run that is over. */
export const lastMoment = ({ timeline, now }: Pick<RunCanvasInput, "timeline" | "now">): number =>
  timeline?.endedAt ?? now;

/** @param present drawn time; nothing is drawn short before work began */
function wholeTime(timeline: RunTimeline | null, present: number): TimeWindow {
  const from = timeline ? workBegan(timeline) : present;
  const span = Math.max(0, present - from);
  return {
    from,
    to: from + (timeline?.endedAt === null || !timeline ? shownSpan(span) : Math.max(1_000, span)),
  };
}

/** With the first work below the contracts: planning and contracts come before it, without a length. */
function workBegan({ tracks, startedAt }: RunTimeline): number {
  const spine = tracks.find(({ kind }) => kind === "spine");
  const contracts = spine?.marks.find(({ kind }) => kind === "contracts")?.at;
  const first = tracks
    .filter(({ kind }) => kind === "lane")
    .flatMap(({ marks }) => marks[0]?.at ?? [])
    .reduce((least, at) => Math.min(least, at), Infinity);
  return Math.min(contracts ?? Infinity, first) === Infinity
    ? startedAt
    : Math.min(contracts ?? first, first);
}

const hasWork = ({ tracks }: RunTimeline): boolean =>
  tracks.some(({ kind, marks }) => kind === "lane" && marks.length > 0);

/** The root's phases: started ones from their beginning on, later ones in columns right of now. */
export function phaseColumns(
  root: CanvasPart,
  timeline: RunTimeline | null,
  { columns, scale }: Columns,
): readonly PhaseColumn[] {
  const spine = timeline?.tracks.find(({ id }) => id === root.orchestrator);
  const begun = new Map(
    (spine?.marks ?? []).flatMap((mark) => (mark.kind === "phase" ? [[mark.phase, mark.at] as const] : [])),
  );
  const [first] = root.phases;
  // The first begins with the work, and needs no word.
  if (first && timeline && hasWork(timeline) && !begun.has(first.number))
    begun.set(first.number, workBegan(timeline));
  const started = root.phases.filter(({ number }) => begun.has(number));
  const later = root.phases.filter(({ number }) => !begun.has(number));
  const edges = started.map(({ number }) =>
    clamp(scale.x(begun.get(number) ?? 0), columns.start, columns.now),
  );
  const laterRoom = Math.max(0, (columns.integrate?.x ?? columns.land) - 44 - columns.now - 12);
  return [
    ...started.map((phase, index): PhaseColumn => {
      const x = edges[index] ?? columns.start;
      return column(root, phase, x, Math.max(0, (edges[index + 1] ?? columns.now) - x), false);
    }),
    ...later.map((phase, index): PhaseColumn => {
      const width = laterRoom / later.length;
      return column(root, phase, columns.now + 12 + index * width, width, true);
    }),
  ];
}

const column = (
  { orchestrator }: CanvasPart,
  { number, title }: { readonly number: number; readonly title: string },
  x: number,
  width: number,
  isAhead: boolean,
): PhaseColumn => ({ orchestrator, number, title, x, width, isAhead });
