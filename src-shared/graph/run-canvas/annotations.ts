/** Overlays of the lanes: decisions and messages. */
import { type Columns, spineY } from "./canvas-columns.ts";
import type { RunCanvasInput } from "./canvas-input.ts";
import { type CanvasRow, type DecisionBar, type MessageArc, middleOf, type Point } from "./run-canvas.ts";

export interface Scene {
  readonly input: RunCanvasInput;
  readonly columns: Columns;
  readonly rows: readonly CanvasRow[];
}

/** px that a decision's title takes at most, and the least in which one can be read. */
const titleWidth = 230;
const minTitleWidth = 60;

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

/** The row of a worker or an orchestrator; null: the root's spine, or none. */
export function workerFinder(scene: Scene): (worker: string) => CanvasRow | null {
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

/** Places titles next to each other: each right of its bar up to the next one, at the edge left of it. */
function withTitles(bars: readonly Untitled[], width: number): readonly DecisionBar[] {
  const inOrder = [...bars].sort((a, b) => a.x - b.x);
  let free = 0;
  const titles = new Map<Untitled, DecisionBar["title"]>();
  for (const [index, bar] of inOrder.entries()) {
    const isLeft = width - bar.x < titleWidth - 50;
    const next = inOrder[index + 1]?.x ?? width;
    const room = Math.min(titleWidth, isLeft ? bar.x - free : next - Math.max(free, bar.x) - 14);
    const isRead = room >= minTitleWidth && (isLeft || bar.x >= free);
    titles.set(bar, isRead ? { isLeft, width: room } : null);
    free = isRead && !isLeft ? bar.x + room + 6 : Math.max(free, bar.x + 10);
  }
  return bars.map((bar) => ({ ...bar, title: titles.get(bar) ?? null }));
}

/** Only unanswered or unread ones: the others are in the log. */
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
