/** What lies over the lanes: decisions, messages, work that would collide, and what waits for a person. */
import type { Columns } from "./canvas-columns.ts";
import { spineY } from "./canvas-columns.ts";
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
const bubbleWidth = 320;
/** px; a bubble that is narrower has its answers below its words. */
export const narrowBubble = 250;
/** Between the middles of two that have words, so that none lies over the other: a bubble in little room has its answers below. */
const wordsHeight = 34;
const bubbleReach = (width: number): number => (width < narrowBubble ? 58 : 44);
const wordsStep = 6;

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
  return (input.timeline?.decisions ?? []).flatMap((decision): DecisionBar[] => {
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
  return input.radar.flatMap(({ a, b, files }, index): RadarBracket[] => {
    const [one, other] = [find(a), find(b)];
    if (!one || !other || one === other) return [];
    const [top, bottom] = [middleOf(one), middleOf(other)].sort((x, y) => x - y) as [number, number];
    const x = columns.columns.now + 12 + (index % 4) * bracketGap;
    const wordsY = freePlace(top, bottom, taken);
    if (wordsY !== null) taken.push({ y: wordsY, reach: wordsHeight });
    return [{ id: `${a}/${b}`, a, b, files, x, top, bottom, wordsY }];
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

/** One for each row: a row whose bubble is taken shows how many wait in its name. */
export function waitingBubbles(scene: Scene): readonly WaitingBubble[] {
  const { input, columns } = scene;
  const find = workerFinder(scene);
  const width = Math.min(bubbleWidth, input.room.width - columns.columns.now - 20);
  const taken = new Set<string>();
  return input.waiting.flatMap(({ id, worker }): WaitingBubble[] => {
    const row = worker === null ? null : find(worker);
    const key = row?.id ?? "";
    if (taken.has(key)) return [];
    taken.add(key);
    return [
      { card: id, row: row?.id ?? null, x: columns.columns.now + 14, y: row ? middleOf(row) : spineY, width },
    ];
  });
}
