/** A place in conflict as it is in a file with jj's markers, with lines around it. */
export interface ConflictPlace {
  /** Counted from 1, of the first and last line that are shown. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Enough to see what a place belongs to. */
const linesAround = 5;

const begin = /^<{7,} conflict \d+ of \d+$/u;
const end = /^>{7,} conflict \d+ of \d+ ends$/u;

/**
 * The places in conflict of a file, whatever the style of their markers.
 *
 * @param text of the file as it is on disk
 * @returns in order; places whose surroundings touch are one; empty where none is complete
 */
export function conflictPlaces(text: string): readonly ConflictPlace[] {
  const lines = text.split("\n");
  const found: { from: number; to: number }[] = [];
  let begun: number | null = null;
  for (const [index, line] of lines.entries()) {
    if (begin.test(line)) begun = index;
    if (begun === null || !end.test(line)) continue;
    const from = Math.max(0, begun - linesAround);
    const to = Math.min(lines.length - 1, index + linesAround);
    const last = found.at(-1);
    if (last && from <= last.to + 1) last.to = to;
    else found.push({ from, to });
    begun = null;
  }
  return found.map(({ from, to }) => ({
    from: from + 1,
    to: to + 1,
    text: lines.slice(from, to + 1).join("\n"),
  }));
}

/**
 * A whole place in conflict, from its first line.
 *
 * @param text of the file as it is on disk
 * @param first line of the place, with or without its end; any other text is no place
 * @returns the place without the end of its last line; null where it is not there
 */
export function placeFrom(text: string, first: string): string | null {
  const line = first.replace(/\r?\n$/u, "");
  if (!begin.test(line)) return null;
  const lines = text.split("\n");
  const from = lines.indexOf(line);
  const to = lines.findIndex((one, index) => index > from && end.test(one));
  return from < 0 || to < 0 ? null : lines.slice(from, to + 1).join("\n");
}
