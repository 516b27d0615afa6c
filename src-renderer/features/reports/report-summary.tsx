import type { Report, ReportRow } from "#shared/domain/report/report-figures.ts";
import { spreadOf } from "#shared/domain/report/spread.ts";
import { dollars, duration } from "../../kit/amounts.ts";

interface Figure {
  readonly name: string;
  readonly of: (run: ReportRow) => number | null;
  readonly sum: (report: Report) => string;
  readonly shown: (value: number) => string;
}

const plain = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 1 });
const hundredths = (value: number): string => value.toFixed(2);

const figures: readonly Figure[] = [
  {
    name: "Cost",
    of: (run) => run.microDollars,
    sum: ({ total }) => dollars(total.microDollars),
    shown: dollars,
  },
  {
    name: "Working time",
    of: (run) => run.milliseconds,
    sum: ({ total }) => duration(total.milliseconds),
    shown: duration,
  },
  {
    name: "Conflicts",
    of: (run) => run.conflicts,
    sum: ({ total }) => plain(total.conflicts),
    shown: plain,
  },
  {
    name: "Rework",
    of: (run) => run.reworkedTasks + run.repairRounds,
    sum: ({ total }) => plain(total.reworkedTasks + total.repairRounds),
    shown: plain,
  },
  {
    name: "Score",
    of: (run) => run.score,
    sum: ({ total }) => (total.score === null ? "–" : `mean ${hundredths(total.score)}`),
    shown: hundredths,
  },
];

/**
 * What the runs came to together, and how far they stand apart.
 *
 * @param runs a report by run
 */
export const ReportSummary = ({ runs }: { readonly runs: Report }) => (
  <dl className="grid grid-cols-5 gap-2 px-4 py-3">
    {figures.map((figure) => (
      <Tile key={figure.name} figure={figure} runs={runs} />
    ))}
  </dl>
);

function Tile({
  figure: { name, of, sum, shown },
  runs,
}: {
  readonly figure: Figure;
  readonly runs: Report;
}) {
  const values = runs.rows.flatMap((run) => of(run) ?? []);
  const spread = spreadOf(values);
  return (
    <div className="flex min-w-0 flex-col rounded-md border px-3 py-2" data-summary={name}>
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="text-lg font-semibold tabular-nums">{sum(runs)}</dd>
      <dd className="mt-1">
        <RunBars values={values.toReversed()} />
      </dd>
      <dd className="mt-1 truncate text-xs text-muted" title={spread ? rangeLine(spread, shown) : undefined}>
        {spread === null
          ? "only one run so far"
          : `median ${shown(spread.median)}, half ${shown(spread.lower)} to ${shown(spread.upper)}`}
      </dd>
    </div>
  );
}

const rangeLine = (spread: NonNullable<ReturnType<typeof spreadOf>>, shown: Figure["shown"]): string =>
  `Runs: median ${shown(spread.median)}, the middle half from ${shown(spread.lower)} to ${shown(spread.upper)}, all from ${shown(spread.least)} to ${shown(spread.most)}`;

const height = 28;
const maxBars = 60;

/** A bar for each run, the oldest first; the table says the same in figures. */
function RunBars({ values }: { readonly values: readonly number[] }) {
  // One bar alone says nothing; the room is kept.
  const shown = values.length < 2 ? [] : values.slice(-maxBars);
  const most = Math.max(...shown, 0);
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${Math.max(shown.length, 12) * 4} ${height}`}
      preserveAspectRatio="none"
      className="block w-full text-accent"
      height={height}
    >
      {shown.map((value, place) => {
        const tall = most === 0 ? 1 : Math.max(1, (value / most) * height);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: bars have no other name than their place
            key={place}
            x={place * 4 + 0.5}
            y={height - tall}
            width={3}
            height={tall}
            fill="currentColor"
            opacity={value === 0 ? 0.3 : 0.8}
          />
        );
      })}
    </svg>
  );
}
