/** What lies over the lanes: decisions, messages, work that would collide, and what waits for a person. */
import { type Columns, labelsHeight, spineHeight, spineY } from "./canvas-columns.ts";
import type { RunCanvasInput } from "./canvas-input.ts";
import {
  type CanvasRow,
  type DecisionBar,
  type MessageArc,
  middleOf,
  type Point,
  type RadarBracket,
  type WaitingBubble,
} from "./run-canvas.ts";

interface Scene {
  readonly input: RunCanvasInput;
  readonly columns: Columns;
  readonly rows: readonly CanvasRow[];
}

/** px */
const bracketGap = 10;
/** As many brackets stand beside each other before the next one stands where the first did. */
const bracketColumns = 4;
const bubbleWidth = 320;
/** px; a bubble that is narrower has its answers below its words. */
export const narrowBubble = 250;
/** Between the middles of two that have words, so that none lies over the other: a bubble in little room has its answers below. */
const wordsHeight = 34;
const bubbleReach = (width: number): number => (width < narrowBubble ? 58 : 44);
const bubbleHeight = (width: number): number => (width < narrowBubble ? 78 : 44);
const betweenBubbles = 6;
const wordsStep = 6;
/** px that a decision's title takes at most, and the least in which one can be read. */
const titleWidth = 230;
const leastTitle = 60;

/** The row of a track: its own, or that of the part into which it is folded. */
function rowFinder({ input, rows }: Scene): (track: string) => CanvasRow | null {
  const own = new Map(rows.map((row) => [row.id, row]));
  const ofTrack = new Map<string, CanvasRow>();
  const visit = (tasks: RunCanvasInput["root"]["tasks"], folded: CanvasRow | null): void => {
    for (const task of tasks) {
      const row = folded ?? own.get(task.id) ?? null;
      if (row) ofTrack.set(task.id, row);
      if (!task.part) continue;
      if (row) ofTrack.set(task.part.orchestrator, row);
      visit(task.part.tasks, row?.isFolded ? row : null);
    }
  };
  visit(input.root.tasks, null);
  return (track) => ofTrack.get(track) ?? null;
}

/** The row of a worker or an orchestrator; null: the root's spine, or nobody's. */
function workerFinder(scene: Scene): (worker: string) => CanvasRow | null {
  const find = rowFinder(scene);
  const tracks = new Map(
    scene.input.timeline?.tracks.flatMap(({ id, workers }) => workers.map((worker) => [worker, id] as const)),
  );
  const now = new Map<string, string>();
  const visit = (tasks: RunCanvasInput["root"]["tasks"]): void => {
    for (const { id, worker, part } of tasks) {
      if (worker !== null) now.set(worker, id);
      if (part) {
        now.set(part.orchestrator, id);
        visit(part.tasks);
      }
    }
  };
  visit(scene.input.root.tasks);
  return (worker) => find(now.get(worker) ?? tracks.get(worker) ?? worker);
}

export function decisionBars(scene: Scene): readonly DecisionBar[] {
  const { input, columns, rows } = scene;
  const find = rowFinder(scene);
  const bars = (input.timeline?.decisions ?? []).flatMap((decision): Untitled[] => {
    if (decision.state === "refused" || decision.state === "withdrawn") return [];
    const at = columns.scale.x(
      decision.state === "waits" ? decision.at : (decision.settledAt ?? decision.at),
    );
    if (at < columns.columns.start - 0.5 || at > columns.columns.now + 0.5) return [];
    const bound = decision.binds.flatMap((track) => find(track) ?? []);
    const reached = bound.length > 0 ? bound : rows.filter(({ kind }) => kind === "lane");
    return [
      {
        decision,
        x: at,
        top: spineY,
        bottom: reached.reduce((most, row) => Math.max(most, middleOf(row)), spineY),
        conflicts: decision.conflicts.flatMap((track) => {
          const row = find(track);
          return row ? [{ row: row.id, worker: row.worker, y: middleOf(row) }] : [];
        }),
      },
    ];
  });
  return withTitles(bars, input.room.width);
}

type Untitled = Omit<DecisionBar, "title">;

/** Titles beside each other: each to the right of its bar as far as the next one, at the edge to its left. */
function withTitles(bars: readonly Untitled[], width: number): readonly DecisionBar[] {
  const inOrder = [...bars].sort((a, b) => a.x - b.x);
  let free = 0;
  const titles = new Map<Untitled, DecisionBar["title"]>();
  for (const [index, bar] of inOrder.entries()) {
    const isLeft = width - bar.x < titleWidth - 50;
    const next = inOrder[index + 1]?.x ?? width;
    const room = Math.min(titleWidth, isLeft ? bar.x - free : next - Math.max(free, bar.x) - 14);
    const isRead = room >= leastTitle && (isLeft || bar.x >= free);
    titles.set(bar, isRead ? { isLeft, width: room } : null);
    free = isRead && !isLeft ? bar.x + room + 6 : Math.max(free, bar.x + 10);
  }
  return bars.map((bar) => ({ ...bar, title: titles.get(bar) ?? null }));
}

/** Only those that nobody has answered or read: the others are in the log. */
export function messageArcs(scene: Scene): readonly MessageArc[] {
  const { input, columns } = scene;
  const find = workerFinder(scene);
  const place = (who: string, x: number): Point => {
    const row = find(who);
    return row ? { x, y: middleOf(row) } : { x, y: spineY };
  };
  return (input.timeline?.messages ?? []).flatMap((message): MessageArc[] => {
    if (message.settledAt !== null || message.kind === "decision") return [];
    const x = columns.scale.x(message.at);
    if (x < columns.columns.start - 0.5 || x > columns.columns.now + 0.5) return [];
    const [from, to] = [place(message.from, x), place(message.to, x + 14)];
    return from.y === to.y ? [] : [{ message, from, to }];
  });
}

export function radarBrackets(scene: Scene): readonly RadarBracket[] {
  const { input, columns } = scene;
  const find = workerFinder(scene);
  const taken = waitingBubbles(scene).map(({ y, width }) => ({ y, reach: bubbleReach(width) }));
  const meetings = input.radar.flatMap(({ a, b, files }) => {
    const [one, other] = [find(a), find(b)];
    // What is merged meets nobody any more: it has met.
    if (!one || !other || one === other || (one.isFinished && other.isFinished)) return [];
    return [{ a, b, files, one, other }];
  });
  const first = columns.columns.now + 12;
  // Right of them all: none crosses the words of another.
  const wordsX = first + Math.min(meetings.length, bracketColumns) * bracketGap + 2;
  const told = new Set<string>();
  return meetings.map(({ a, b, files, one, other }, index): RadarBracket => {
    const [top, bottom] = [middleOf(one), middleOf(other)].sort((x, y) => x - y) as [number, number];
    const x = first + (index % bracketColumns) * bracketGap;
    const about = files.join("\0");
    const y = told.has(about) ? null : freePlace(top, bottom, taken);
    if (y !== null) {
      taken.push({ y, reach: wordsHeight });
      told.add(about);
    }
    return { id: `${a}/${b}`, a, b, files, x, top, bottom, words: y === null ? null : { x: wordsX, y } };
  });
}

interface Taken {
  readonly y: number;
  readonly reach: number;
}

/** The place nearest to the middle that is far enough from all that are taken. */
function freePlace(top: number, bottom: number, taken: readonly Taken[]): number | null {
  const middle = (top + bottom) / 2;
  for (let away = 0; middle + away <= bottom; away += wordsStep) {
    const free = [middle + away, middle - away].find((y) =>
      taken.every((other) => Math.abs(other.y - y) >= other.reach),
    );
    if (free !== undefined) return free;
  }
  return null;
}

/**
 * One for each row, with the number of further cards there; as near to its lane as the others leave room. Where there is
 * no room for all, the last one counts the rest.
 */
export function waitingBubbles(scene: Scene): readonly WaitingBubble[] {
  const { input, columns, rows } = scene;
  const find = workerFinder(scene);
  const width = Math.min(bubbleWidth, input.room.width - columns.columns.now - 20);
  const cards = new Map<CanvasRow | null, string[]>();
  for (const { id, worker } of input.waiting) {
    const row = worker === null ? null : find(worker);
    cards.set(row, [...(cards.get(row) ?? []), id]);
  }
  const top = labelsHeight + spineHeight;
  const bottom = Math.max(input.room.height, (rows.at(-1)?.y ?? 0) + (rows.at(-1)?.height ?? 0)) - 4;
  const height = bubbleHeight(width);
  const places = [...cards]
    .map(([row, ids]) => ({ row, ids, wanted: row ? middleOf(row) : top + height / 2 + 4 }))
    .sort((a, b) => Number(b.row === null) - Number(a.row === null) || a.wanted - b.wanted);
  const most = Math.max(1, Math.floor((bottom - top) / (height + betweenBubbles)));
  const shown = places.slice(0, most);
  const left = places.slice(most).reduce((sum, { ids }) => sum + ids.length, 0);
  const middles = apart(
    shown.map(({ wanted }) => wanted),
    height + betweenBubbles,
    { least: top + height / 2 + 4, most: bottom - height / 2 },
  );
  return shown.flatMap(({ row, ids }, index): WaitingBubble[] => {
    const [card] = ids;
    if (card === undefined) return [];
    return [
      {
        card,
        row: row?.id ?? null,
        x: columns.columns.now + 14,
        y: middles[index] ?? top,
        width,
        points: row ? middleOf(row) : spineY,
        more: ids.length - 1 + (index === shown.length - 1 ? left : 0),
      },
    ];
  });
}

/** Each as near to where it wants to be as it can, in the same order and so far from each other; the last give way upwards. */
function apart(
  wanted: readonly number[],
  distance: number,
  { least, most }: { readonly least: number; readonly most: number },
): readonly number[] {
  const places: number[] = [];
  for (const one of wanted) places.push(Math.max(one, (places.at(-1) ?? -Infinity) + distance, least));
  let below = most;
  for (let index = places.length - 1; index >= 0; index--) {
    places[index] = Math.min(places[index] ?? least, below);
    below = (places[index] ?? least) - distance;
  }
  return places;
}
