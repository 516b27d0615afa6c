/** One measured number and the reference it was measured beside, in the same run. */
export interface Row {
  readonly name: string;
  readonly value: number;
  /** As in `ms`, `processes`, `MB`. */
  readonly unit: string;
  /** What any program of this kind needs at least, in the same unit; null where there is no such thing. */
  readonly reference: number | null;
  /** value / reference, rounded by the printer, not here. */
  readonly ratio: number | null;
  /** The number to hold, in words: `p95 ≤ 80 ms`, `≤ 1.5 × jj log`. */
  readonly hold: string;
  readonly ok: boolean;
}

/** What a file `bench/<name>.bench.ts` exports as its default. */
export interface Bench {
  readonly name: string;
  /** Each row as soon as it is known, so that stopping the benchmark keeps the earlier ones. */
  run(): AsyncIterable<Row>;
}

/** A row with its ratio worked out. */
export const row = (
  fields: Omit<Row, "ratio" | "reference"> & { readonly reference?: number | null },
): Row => {
  const reference = fields.reference ?? null;
  return { ...fields, reference, ratio: reference ? fields.value / reference : null };
};

/** The p-th percentile of the samples by nearest rank, `p` in 0..100. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)];
  if (value === undefined) throw new RangeError("A percentile needs at least one sample.");
  return value;
}

const short = (value: number): string =>
  value !== 0 && Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0);

/** Wide enough for nearly all rows; what is wider moves the rest of its line. */
const widths = [66, 14, 14, 9, 28, 0];
const line = (cells: readonly string[]): string =>
  cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join("  ")
    .trimEnd();

/** Above the lines of `tableLine`. */
export const tableHead = line(["what", "measured", "reference", "ratio", "to hold", ""]);

/** A row as a line of a table for people; the lines below it are not known yet. */
export const tableLine = ({ name, value, unit, reference, ratio, hold, ok }: Row): string =>
  line([
    name,
    `${short(value)} ${unit}`,
    reference === null ? "–" : `${short(reference)} ${unit}`,
    ratio === null ? "–" : `${ratio.toFixed(2)} ×`,
    hold,
    ok ? "holds" : "MISSED",
  ]);
