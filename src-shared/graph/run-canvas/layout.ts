import { isOfOtherRun } from "../../domain/radar/radar.ts";
import type { RunTimeline, TimelineTrack, TrackMark } from "../../domain/timeline/timeline.ts";
import { decisionBars, messageArcs, type Scene, workerFinder } from "./annotations.ts";
import {
  type Columns,
  columnsOf,
  fan,
  labelsHeight,
  lastMoment,
  phaseColumns,
  spineHeight,
  spineY,
} from "./canvas-columns.ts";
import type { CanvasTask, RunCanvasInput } from "./canvas-input.ts";
import { detailOf, type PlacedRow, placedRows } from "./canvas-rows.ts";
import {
  type CanvasBreak,
  type CanvasLink,
  type CanvasRow,
  type MarkGroup,
  middleOf,
  type RadarBracket,
  type RowStretch,
  type RunCanvas,
  type WaitingBubble,
} from "./run-canvas.ts";
import type { TimeScale } from "./time-scale.ts";
import { waitingBubbles } from "./waiting-bubbles.ts";

/** px below the last row. */
const belowRows = 10;
/** Marks of a spine that are drawn by other means: decisions as bars, phases as columns, contracts as a box. */
const notOnSpine: ReadonlySet<TrackMark["kind"]> = new Set(["phase", "contracts"]);

/**
 * Lays out the canvas of one run. Pure: from the same plan, timeline and room comes the same picture, in every window
 * and after a reload. (design section 12)
 */
export function layOutRun(input: RunCanvasInput): RunCanvas {
  const columns = columnsOf(input);
  const rowsTop = labelsHeight + spineHeight;
  const placed = placedRows(input, input.room.height - rowsTop - belowRows);
  const tracks = new Map(input.timeline?.tracks.map((track) => [track.id, track]));
  let y = rowsTop;
  const lanes = placed.map((row) => {
    const made = rowOf(row, y, tracks, columns, input.timeline);
    y += row.height;
    return made;
  });
  const gathered = gatheredAt(lanes, columns);
  const rows = lanes.map((row): CanvasRow => ({ ...row, ahead: wayToGather(row, gathered, columns) }));
  const root = tracks.get(input.root.orchestrator);
  const between = { left: columns.columns.start, right: columns.columns.now };
  const scene = { input, columns, rows };
  const bubbles = waitingBubbles(scene);
  return {
    columns: columns.columns,
    phases: phaseColumns(input.root, input.timeline, columns),
    rows,
    spine: {
      y: spineY,
      areContractsWritten: root?.marks.some(({ kind }) => kind === "contracts") === true,
      marks: markGroups(
        (root?.marks ?? []).filter(({ kind }) => !notOnSpine.has(kind)),
        columns.scale,
        between,
      ),
      stretches: shownStretches(root, columns.scale, between),
    },
    rowsTop,
    rowsBottom: y,
    links: linksOf(rows, gathered, columns),
    decisions: decisionBars(scene),
    messages: messageArcs(scene),
    brackets: radarBrackets(scene, bubbles),
    bubbles,
    breaks: shownBreaks(columns, lastMoment(input)),
    shown: { from: columns.scale.from, to: columns.scale.to },
    whole: columns.whole,
    now: columns.now,
  };
}

/** px */
const bracketGap = 10;
/** Maximum of bracket columns; further ones share the last. */
const maxColumns = 6;
/** px from the middle of a label to its edge. */
const labelReach = 10;

interface Meeting {
  /** From the top. */
  readonly lanes: readonly MeetingLane[];
  readonly where: string;
  readonly upper: MeetingLane;
  readonly lower: MeetingLane;
  /** Whom its one lane meets, of another run, which has no lane here. */
  readonly otherRun?: string;
}

interface MeetingLane {
  readonly worker: string;
  readonly row: CanvasRow;
}

/**
 * Forecast conflicts: a bracket between two lanes, with its files at both.
 *
 * @param bubbles waiting cards, which are drawn above the forecast
 */
function radarBrackets(scene: Scene, bubbles: readonly WaitingBubble[]): readonly RadarBracket[] {
  const meetings = meetingsOf(scene);
  const columns = bracketColumns(meetings);
  const first = scene.columns.columns.now + 12;
  // Right of them all: no bracket crosses a label.
  const labelX = first + (Math.max(0, ...columns) + 1) * bracketGap;
  const labelled = new Set<string>();
  const label = (row: CanvasRow, other: string): RadarBracket["labels"] => {
    const y = middleOf(row);
    const isCovered = bubbles.some((bubble) => Math.abs(bubble.y - y) < bubble.height / 2 + labelReach);
    if (isCovered || labelled.has(row.id)) return [];
    labelled.add(row.id);
    const more = meetings.filter(({ upper, lower }) => upper.row === row || lower.row === row).length - 1;
    return [{ x: labelX, y, other, more }];
  };
  return meetings.map(
    ({ lanes, where, upper, lower, otherRun }, index): RadarBracket => ({
      id: `${upper.worker}/${otherRun ?? lower.worker}${lanes.length > 2 ? `/${where}` : ""}`,
      workers: [...lanes.map(({ worker }) => worker), ...(otherRun === undefined ? [] : [otherRun])],
      where,
      dots: lanes.map(({ row }) => middleOf(row)),
      x: first + (columns[index] ?? 0) * bracketGap,
      top: middleOf(upper.row),
      bottom: middleOf(lower.row),
      labels: [
        ...label(upper.row, otherRun ?? lower.worker),
        ...(upper === lower ? [] : label(lower.row, upper.worker)),
      ],
    }),
  );
}

function meetingsOf(scene: Scene): readonly Meeting[] {
  const find = workerFinder(scene);
  return scene.input.radar.flatMap(({ workers, where }): readonly Meeting[] => {
    const lanes = workers
      .flatMap((worker): readonly MeetingLane[] => {
        const row = find(worker);
        return row ? [{ worker, row }] : [];
      })
      .toSorted((one, other) => one.row.y - other.row.y);
    const [upper, lower] = [lanes[0], lanes.at(-1)];
    // Merged work cannot conflict any more.
    if (!upper || !lower || lanes.every(({ row }) => row.isFinished)) return [];
    const otherRun = lanes.length === 1 ? workers.find(isOfOtherRun) : undefined;
    if (upper.row === lower.row && otherRun === undefined) return [];
    return [{ lanes, where, upper, lower, ...(otherRun === undefined ? {} : { otherRun }) }];
  });
}

/** For each the first column in which it overlaps none before it. */
function bracketColumns(meetings: readonly Meeting[]): readonly number[] {
  const columns: number[] = [];
  for (const [index, { upper, lower }] of meetings.entries()) {
    const taken = new Set(
      meetings
        .slice(0, index)
        .flatMap((other, at) =>
          other.upper.row.y <= lower.row.y && upper.row.y <= other.lower.row.y ? [columns[at]] : [],
        ),
    );
    let column = 0;
    while (taken.has(column) && column < maxColumns - 1) column++;
    columns.push(column);
  }
  return columns;
}

/** px between the middles of two marks: they are 11 px wide. */
export const markGap = 12;

interface Stretch {
  readonly left: number;
  readonly right: number;
}

/**
 * The marks of a track within a range of x, oldest first. Those closer together than `markGap` form one group
 * at the first one's position, so that a group stays where it is while it grows.
 */
function markGroups(
  marks: readonly TrackMark[],
  scale: TimeScale,
  { left, right }: Stretch,
): readonly MarkGroup[] {
  const groups: { id: string; x: number; marks: TrackMark[] }[] = [];
  for (const mark of [...marks].sort((a, b) => a.at - b.at)) {
    const x = scale.x(mark.at);
    if (x < left - 0.5 || x > right + 0.5) continue;
    const last = groups.at(-1);
    if (last && x - last.x < markGap) last.marks.push(mark);
    else groups.push({ id: mark.id, x, marks: [mark] });
  }
  return groups;
}

/** A track's stretches, cut to the visible range. */
function shownStretches(
  track: TimelineTrack | undefined,
  scale: TimeScale,
  { left, right }: Stretch,
): readonly RowStretch[] {
  return (track?.stretches ?? []).flatMap(({ id, kind, from, to }) => {
    const begin = Math.max(left, scale.x(from));
    const end = Math.min(right, to === null ? right : scale.x(to));
    return end <= begin ? [] : [{ id, kind, from: begin, to: end, isOpen: to === null }];
  });
}

/** Everything that happened to a task, and below it where its own lanes are folded into its row. */
function marksOf(
  task: CanvasTask,
  isFolded: boolean,
  tracks: ReadonlyMap<string, TimelineTrack>,
): TrackMark[] {
  const own = tracks.get(task.id)?.marks ?? [];
  if (!task.part) return [...own];
  const spine = (tracks.get(task.part.orchestrator)?.marks ?? []).filter(({ kind }) => !notOnSpine.has(kind));
  const below = isFolded ? task.part.tasks.flatMap((one) => marksOf(one, true, tracks)) : [];
  return [...own, ...spine, ...below];
}

/** A row before it is known whether the ways ahead are gathered. */
type Lane = Omit<CanvasRow, "ahead">;

/** What ends a lane for good. */
const ends: ReadonlySet<TrackMark["kind"]> = new Set(["merged", "abandoned"]);

function rowOf(
  placed: PlacedRow,
  y: number,
  tracks: ReadonlyMap<string, TimelineTrack>,
  { columns, scale }: Columns,
  timeline: RunTimeline | null,
): Lane {
  const { task, height } = placed;
  const marks = marksOf(task, placed.isFolded, tracks);
  const began = marks.reduce((least, { at }) => Math.min(least, at), Infinity);
  const track = tracks.get(task.id) ?? tracks.get(task.part?.orchestrator ?? "");
  const ending = track?.marks.findLast(({ kind }) => ends.has(kind)) ?? null;
  const isOver = ending !== null && (placed.isFinished || timeline?.endedAt !== null);
  const right = isOver && ending ? Math.min(columns.now, scale.x(ending.at)) : columns.now;
  const left = Math.min(
    columns.now,
    Math.max(columns.start, began === Infinity ? columns.now : scale.x(began)),
  );
  const between = { left: columns.start, right: columns.now };
  const isShown = began !== Infinity && right >= columns.start && left <= columns.end;
  return {
    id: task.id,
    kind: placed.kind,
    title: task.title,
    forkedFrom: task.forkedFrom ?? null,
    orchestrator: placed.kind === "part" && task.part ? task.part.orchestrator : placed.orchestrator,
    worker: task.worker,
    phase: task.phase,
    depth: placed.depth,
    y,
    height,
    detail: detailOf(height),
    isFinished: placed.isFinished,
    hasStarted: began !== Infinity,
    isFolded: placed.isFolded,
    below: placed.below,
    line: isShown ? { from: Math.min(left, right), to: Math.max(left, right) } : null,
    mergedAt: ending?.kind === "merged" && isShown && scale.x(ending.at) >= columns.start ? right : null,
    marks: markGroups(marks, scale, between),
    stretches: shownStretches(track, scale, between),
  };
}

/** Shorter breaks are answers and get no label. */
const minAnnotatedMs = 10_000;

/** The visible breaks. A current one grows up to its maximum length, and is marked from then on. */
function shownBreaks({ columns, scale, time }: Columns, now: number): readonly CanvasBreak[] {
  return time.shortened.flatMap(({ from, to, why, drawnFrom, drawnTo }): CanvasBreak[] => {
    const end = Math.min(to ?? now, now);
    const ms = end - from;
    const left = Math.max(columns.start, scale.x(from));
    // In whole px as now is: nothing moves where one ends.
    const right = Math.min(columns.now, Math.ceil(scale.x(end)));
    // One that is hardly shortened needs no label.
    if (right <= left || ms < minAnnotatedMs || ms < ((drawnTo - drawnFrom) * 4) / 3) return [];
    const unit = ms < 60_000 ? 1_000 : 60_000;
    return [{ why, from: left, to: right, isOpen: to === null, ms: Math.floor(ms / unit) * unit }];
  });
}

/**
 * Up to this many lanes have separate lines to the integration; more are joined, because single ones could
 * not be told apart.
 */
const maxSeparateConnections = 6;
/** px that their one line takes to turn into the spine. */
const gatherBend = 12;

/** px right of now at which the way ahead of a lane begins. */
const afterNow = 8;

/** Whether the way of a lane leads to the integration: it is none of a part's, and not merged. */
const hasWayAhead = ({ depth, isFinished, mergedAt }: Lane): boolean =>
  depth === 0 && !isFinished && mergedAt === null;

/** Where the lines of many lanes are joined; null: each leads to the integration separately. */
function gatheredAt(rows: readonly Lane[], { columns }: Columns): number | null {
  if (!columns.integrate || rows.filter(hasWayAhead).length <= maxSeparateConnections) return null;
  const before = columns.integrate.x - columns.integrate.width / 2;
  return Math.min(before - gatherBend, Math.max(columns.now + afterNow, before - 28));
}

function wayToGather(row: Lane, gathered: number | null, { columns }: Columns): CanvasRow["ahead"] {
  if (gathered === null || !hasWayAhead(row)) return null;
  return { from: columns.now + afterNow, to: gathered };
}

/** Where a row comes from: down from the spine when it began, or from the lane of the agent that it was forked from. */
function beginOf(
  row: Lane,
  x: number,
  spine: number,
  rows: readonly Lane[],
  columns: Columns["columns"],
): CanvasLink {
  const to = { x, y: middleOf(row) };
  const origin = rows.find(({ id }) => id === row.forkedFrom);
  if (origin)
    return {
      ...{ id: `forks:${row.id}`, kind: "forks", row: row.id, to },
      from: { x: Math.max(columns.start, x - 16), y: middleOf(origin) },
    };
  const { contracts, margin, start } = columns;
  const first = row.depth > 0 ? start : contracts ? contracts.x + contracts.width / 2 : margin + 6;
  // However late it begins, it leaves the spine just before.
  return {
    ...{ id: `begins:${row.id}`, kind: "begins", row: row.id, to },
    from: { x: Math.max(first, x - fan), y: spine },
  };
}

/** From whose spine a row comes: that of the part around it, else the root's. */
function linksOf(
  rows: readonly CanvasRow[],
  gathered: number | null,
  { columns }: Columns,
): readonly CanvasLink[] {
  const around: { readonly depth: number; readonly y: number }[] = [{ depth: -1, y: spineY }];
  const ofRows = rows.flatMap((row): CanvasLink[] => {
    while ((around.at(-1)?.depth ?? -1) >= row.depth) around.pop();
    const spine = around.at(-1)?.y ?? spineY;
    const y = middleOf(row);
    if (row.kind === "part" && !row.isFolded) around.push({ depth: row.depth, y });
    const links: CanvasLink[] = [];
    if (row.line) links.push(beginOf(row, row.line.from, spine, rows, columns));
    if (row.line && row.mergedAt !== null)
      links.push({
        id: `merges:${row.id}`,
        kind: "merges",
        row: row.id,
        from: { x: row.mergedAt, y },
        to: { x: Math.min(row.mergedAt + 26, columns.now), y: spine },
      });
    if (gathered === null && hasWayAhead(row) && columns.integrate)
      links.push({
        id: `ahead:${row.id}`,
        kind: "ahead",
        row: row.id,
        from: { x: columns.now + afterNow, y },
        to: { x: columns.integrate.x, y: spineY },
      });
    return links;
  });
  if (gathered === null) return ofRows;
  const lowest = rows.reduce((most, row) => (row.ahead ? Math.max(most, middleOf(row)) : most), 0);
  const gathers: CanvasLink = {
    id: "gathers",
    kind: "gathers",
    row: null,
    from: { x: gathered, y: lowest },
    to: { x: gathered + gatherBend, y: spineY },
  };
  return [...ofRows, gathers];
}
