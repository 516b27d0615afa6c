/**
 * How many lines a file gained and lost, for a line of text.
 *
 * @returns `+3 -1`; `no lines` where none can be counted: of what is binary, empty, or was only moved
 */
export const lineCounts = ({
  added,
  removed,
}: {
  readonly added: number;
  readonly removed: number;
}): string => (added + removed === 0 ? "no lines" : `+${added} -${removed}`);
