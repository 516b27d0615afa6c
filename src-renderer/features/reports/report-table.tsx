import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  sortFn_basic,
  sortFn_text,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import type { Report, ReportRow } from "#shared/domain/report/report.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { cx } from "../../kit/class-names.ts";
import { columnsOf, formatSubtitle, keyNames } from "./report-columns.tsx";

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFn_basic, text: sortFn_text },
});
const helper = createColumnHelper<typeof features, ReportRow>();

interface ReportTableProps {
  readonly report: Report;
  /** A link in place of a row's title; null: its title alone. */
  readonly linkOf: (row: ReportRow, title: ReactNode) => ReactNode;
}

/** The rows of a report, sorted as the user wants them, above what they come to together. */
export function ReportTable({ report, linkOf }: ReportTableProps) {
  const { by, rows, total } = report;
  const figures = useMemo(() => columnsOf(by), [by]);
  const columns = useMemo(
    () =>
      helper.columns([
        helper.accessor("title", { id: "title", sortFn: "text" }),
        ...figures.map(({ id, value }) =>
          helper.accessor(value, { id, sortFn: "basic", sortUndefined: "last", sortDescFirst: true }),
        ),
      ]),
    [figures],
  );
  const table = useTable({ features, columns, data: rows, getRowId: (row) => row.key });
  const [titleHeader, ...headers] = table.getHeaderGroups()[0]?.headers ?? [];
  return (
    <table className="w-full border-separate border-spacing-0 text-sm tabular-nums">
      <caption className="sr-only">Metrics by {keyNames[by].toLowerCase()}</caption>
      <thead>
        <tr>
          {titleHeader && (
            <SortHead
              isFirst
              name={keyNames[by]}
              sorted={titleHeader.column.getIsSorted()}
              onSort={(event) => titleHeader.column.getToggleSortingHandler()?.(event)}
            />
          )}
          {headers.map((header) => {
            const column = figures.find(({ id }) => id === header.id);
            return (
              <SortHead
                key={header.id}
                name={column?.name ?? header.id}
                meaning={column?.meaning}
                sorted={header.column.getIsSorted()}
                onSort={(event) => header.column.getToggleSortingHandler()?.(event)}
              />
            );
          })}
        </tr>
      </thead>
      <tbody>
        {table.getRowModel().rows.map(({ id, original: row }) => (
          <tr key={id} data-report-row={row.key} className="group">
            <th scope="row" className={cx(first, "bg-surface font-normal group-hover:bg-hover")}>
              <RowTitle by={by} row={row} linkOf={linkOf} />
            </th>
            {figures.map((column) => (
              <td key={column.id} className={cx(cell, "group-hover:bg-hover")}>
                {column.shown(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" className={cx(first, foot, "z-20 font-medium")}>
            {total.runs === 1 ? "1 run" : `All ${total.runs} runs`}
          </th>
          {figures.map((column) => (
            <td key={column.id} className={cx(cell, foot, "font-medium")}>
              {column.shown(total)}
            </td>
          ))}
        </tr>
      </tfoot>
    </table>
  );
}

const cell = "h-8 border-b px-1.5 text-right whitespace-nowrap last:pr-4";
const first = "sticky left-0 z-10 h-8 w-full max-w-0 min-w-60 border-b pr-2 pl-4 text-left";
const foot = "sticky bottom-0 border-t border-b-0 border-t-line-strong bg-canvas";

interface SortHeadProps {
  readonly name: string;
  readonly meaning?: string | undefined;
  readonly isFirst?: boolean;
  readonly sorted: false | "asc" | "desc";
  readonly onSort: (event: unknown) => void;
}

function SortHead({ name, meaning, isFirst = false, sorted, onSort }: SortHeadProps) {
  const Arrow = sorted === "asc" ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      aria-sort={sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : "none"}
      className={cx(
        "sticky top-0 h-8 border-b bg-canvas font-normal whitespace-nowrap",
        isFirst ? "left-0 z-20 min-w-60 pl-2.5 text-left" : "z-10 text-right last:pr-2",
      )}
    >
      <button
        type="button"
        title={meaning}
        onClick={onSort}
        className={cx(
          "inline-flex h-6 items-center gap-0.5 rounded-sm px-1.5 hover:text-text",
          !isFirst && "flex-row-reverse",
          sorted ? "text-text" : "text-faint",
        )}
      >
        {name}
        {/* Its room is kept, so that no column moves when another one is sorted. */}
        <Arrow size={11} aria-hidden className={cx(!sorted && "invisible", !isFirst && "-ml-0.5")} />
      </button>
    </th>
  );
}

interface RowTitleProps {
  readonly by: Report["by"];
  readonly row: ReportRow;
  readonly linkOf: ReportTableProps["linkOf"];
}

function RowTitle({ by, row, linkOf }: RowTitleProps) {
  const title = shownLine(row.title);
  const subtitle = formatSubtitle(by, row);
  return (
    <span className="flex items-baseline gap-2" title={subtitle === null ? title : `${title}\n${row.key}`}>
      <span className="min-w-24 flex-1 truncate">{linkOf(row, title)}</span>
      {subtitle !== null && <span className="min-w-0 truncate text-xs text-faint">{subtitle}</span>}
    </span>
  );
}
