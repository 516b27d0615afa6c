/** Work that would collide as it stands: a bracket between two lanes, with its files at both. */
import { type Scene, workerFinder } from "./annotations.ts";
import { type CanvasRow, middleOf, type RadarBracket, type WaitingBubble } from "./run-canvas.ts";

/** px */
const bracketGap = 10;
/** As many brackets stand beside each other; further ones share the last place. */
const maxColumns = 6;
/** px from the middle of a label to its edge. */
const labelReach = 10;

interface Meeting {
  readonly a: string;
  readonly b: string;
  readonly files: readonly string[];
  readonly upper: MeetingLane;
  readonly lower: MeetingLane;
}

interface MeetingLane {
  readonly worker: string;
  readonly row: CanvasRow;
}

/** @param bubbles cards that wait, which lie over what is said of the radar */
export function radarBrackets(scene: Scene, bubbles: readonly WaitingBubble[]): readonly RadarBracket[] {
  const meetings = meetingsOf(scene);
  const columns = columnsOf(meetings);
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
    ({ a, b, files, upper, lower }, index): RadarBracket => ({
      ...{ id: `${a}/${b}`, a, b, files },
      x: first + (columns[index] ?? 0) * bracketGap,
      top: middleOf(upper.row),
      bottom: middleOf(lower.row),
      labels: [...label(upper.row, lower.worker), ...label(lower.row, upper.worker)],
    }),
  );
}

function meetingsOf(scene: Scene): readonly Meeting[] {
  const find = workerFinder(scene);
  return scene.input.radar.flatMap(({ a, b, files }): readonly Meeting[] => {
    const [one, other] = [find(a), find(b)];
    // What is merged meets nobody any more: it has met.
    if (!one || !other || one === other || (one.isFinished && other.isFinished)) return [];
    const [first, second] = [
      { worker: a, row: one },
      { worker: b, row: other },
    ];
    return [
      {
        a,
        b,
        files,
        ...(one.y < other.y ? { upper: first, lower: second } : { upper: second, lower: first }),
      },
    ];
  });
}

/** For each the first column in which it overlaps none before it. */
function columnsOf(meetings: readonly Meeting[]): readonly number[] {
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
