import { cx } from "./class-names.ts";

interface WorkerTableProps {
  /** The names of the figures. */
  readonly figures: readonly string[];
  readonly rows: readonly { readonly worker: string; readonly values: readonly (string | number)[] }[];
  readonly smallHead?: boolean;
}

/** Figures of each worker, one row each. */
export function WorkerTable({ figures, rows, smallHead = false }: WorkerTableProps) {
  return (
    <table className="w-full text-sm tabular-nums">
      <thead>
        <tr className={cx("text-left text-faint", smallHead && "text-xs")}>
          <th className="py-1 font-normal">Worker</th>
          {figures.map((figure) => (
            <th key={figure} className="py-1 text-right font-normal">
              {figure}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ worker, values }) => (
          <tr key={worker} className="border-t">
            <td className="py-1">{worker}</td>
            {figures.map((figure, index) => (
              <td key={figure} className="py-1 text-right">
                {values[index]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
