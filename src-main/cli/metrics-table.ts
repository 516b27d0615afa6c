/** Figures in columns, as `hox metrics` prints them. */

export const dollarText = (microDollars: number): string => `$${(microDollars / 1e6).toFixed(4)}`;

/** As short as possible without being wrong: `0.4 s`, `75 s`, `12 min`. */
export const secondsText = (ms: number): string =>
  ms < 10_000
    ? `${(ms / 1_000).toFixed(1)} s`
    : ms < 600_000
      ? `${Math.round(ms / 1_000)} s`
      : `${Math.round(ms / 60_000)} min`;

/**
 * A header and one line for each row, in columns as wide as their widest cell.
 *
 * @param names number of left-aligned text columns
 */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  names: number,
): readonly string[] {
  const cells = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) =>
        column < names ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}
