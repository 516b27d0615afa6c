/**
 * Positions of cards that wait for the user: their buttons stay in place while time passes and other cards
 * arrive.
 */
import { type Scene, workerFinder } from "./annotations.ts";
import { labelsHeight, spineHeight, spineY } from "./canvas-columns.ts";
import type { CanvasCard } from "./canvas-input.ts";
import { type CanvasRow, middleOf, type WaitingBubble } from "./run-canvas.ts";

/** px */
const minWidth = 190;
const maxWidth = 340;
const frame = 18;
const between = 6;
const edge = 6;
/** Two lines of words, and the edges above and below. */
const textHeight = 42;
const answerGap = 4;
const answerHeight = 24;
const longAnswerHeight = 40;
/** By estimate: a letter of an answer, and the button around it with its key. */
const letterWidth = 7;
const buttonFrame = 32;

/** Height of the answers in this width: as many per line as fit. px */
export function answersHeight(answers: readonly string[], room: number): number {
  let [height, row, left] = [0, 0, 0];
  for (const answer of answers) {
    const width = answer.length * letterWidth + buttonFrame;
    const own = width > room ? longAnswerHeight : answerHeight;
    if (row > 0 && width <= left) row = Math.max(row, own);
    else {
      height += row === 0 ? 0 : row + answerGap;
      [row, left] = [own, room];
    }
    left -= Math.min(width, room) + answerGap;
  }
  return height + row;
}

/**
 * One for each row, with the number of further cards there. It is right of all time, so that it does not move
 * with *now*, and as near to its lane as older cards leave room: later cards do not move it. If there is no
 * room for all, the last one counts the rest.
 */
export function waitingBubbles(scene: Scene): readonly WaitingBubble[] {
  const { input, columns, rows } = scene;
  const find = workerFinder(scene);
  const cards = new Map<CanvasRow | null, CanvasCard[]>();
  for (const card of input.waiting) {
    const row = card.worker === null ? null : find(card.worker);
    cards.set(row, [...(cards.get(row) ?? []), card]);
  }
  const ahead = input.room.width - columns.columns.end;
  const width = Math.min(maxWidth, Math.max(Math.min(minWidth, input.room.width / 2), ahead - 14 - edge));
  const last = rows.at(-1);
  const range = {
    top: labelsHeight + spineHeight + edge,
    bottom: Math.max(input.room.height, last ? last.y + last.height : 0) - edge,
  };
  const placed: WaitingBubble[] = [];
  let left = 0;
  for (const [row, own] of cards) {
    const [card] = own;
    if (!card) continue;
    const height = textHeight + answerGap + answersHeight(card.answers, width - frame);
    const points = row ? middleOf(row) : spineY;
    const y = freePlace(row ? points : range.top + height / 2, height, placed, range);
    if (y === null) left += own.length;
    else
      placed.push({
        card: card.id,
        row: row?.id ?? null,
        x: input.room.width - width - edge,
        ...{ y, width, height, points },
        from: columns.columns.now + 8,
        more: own.length - 1,
      });
  }
  return placed.map((bubble, index) =>
    index === placed.length - 1 ? { ...bubble, more: bubble.more + left } : bubble,
  );
}

/** The middle nearest to where it wants to be at which it overlaps none; null: there is no such place. The first always has one. */
function freePlace(
  wanted: number,
  height: number,
  placed: readonly WaitingBubble[],
  { top, bottom }: { readonly top: number; readonly bottom: number },
): number | null {
  const reach = (other: WaitingBubble): number => (other.height + height) / 2 + between;
  const inside = (y: number): number => Math.max(top + height / 2, Math.min(bottom - height / 2, y));
  const candidates = [wanted, ...placed.flatMap((other) => [other.y - reach(other), other.y + reach(other)])]
    .map((y, index) => (index === 0 ? inside(y) : y))
    .filter(
      (y) =>
        (placed.length === 0 || y === inside(y)) &&
        placed.every((other) => Math.abs(other.y - y) >= reach(other)),
    );
  return candidates.sort((one, other) => Math.abs(one - wanted) - Math.abs(other - wanted))[0] ?? null;
}
