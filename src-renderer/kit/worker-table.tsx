import { memo } from "react";
import { cx } from "./class-names.ts";

interface WorkerTableRow {
  readonly worker: string;
  readonly values: readonly (string | number)[];
}

interface WorkerTableProps {
  /** The names of the figures. */
  readonly figures: readonly string[];
  readonly rows: readonly WorkerTableRow[];
  readonly smallHead?: boolean;
}

/** Figures of each worker, one row each. */
export function WorkerTable({ figures, rows, smallHead = false }: WorkerTableProps) {
  return (
    <table className="w-full text-sm tabular-nums">
      <thead>
        <tr className={cx("text-left text-faint", smallHead && "text-xs")}>
          <th className="py-1 font-normal">Agent</th>
          {figures.map((figure) => (
            <th key={figure} className="py-1 text-right font-normal">
              {figure}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ worker, values }) => (
          <Figures key={worker} worker={worker} values={values} />
        ))}
      </tbody>
    </table>
  );
}

/** Redrawn only when a figure of that worker changed. */
const Figures = memo(
  ({ worker, values }: WorkerTableRow) => (
    <tr className="border-t">
      <td className="py-1">{worker}</td>
      {values.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a figure is known by its place
        <td key={index} className="py-1 text-right">
          {value}
        </td>
      ))}
    </tr>
  ),
  (before, after) =>
    before.worker === after.worker &&
    before.values.length === after.values.length &&
    before.values.every((value, index) => value === after.values[index]),
);
