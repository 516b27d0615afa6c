import { ChartColumn, Download } from "lucide-react";
import { type ReactNode, useState } from "react";
import { spreadOf } from "#shared/domain/forecast/forecast.ts";
import {
  type Report,
  type ReportKey,
  type ReportRow,
  reportCsv,
  reportKeys,
} from "#shared/domain/report/report.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { client } from "../../client.ts";
import { dollars, duration } from "../../kit/amounts.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { Segmented } from "../../kit/segmented.tsx";
import { type Feature, type Page, pageAction } from "../../registry/feature.ts";
import { useHost } from "../../state/host-store.ts";
import { inspectRun, openDialog } from "../../state/selection-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { keyNames } from "./report-columns.tsx";
import { ReportTable } from "./report-table.tsx";

const spans = { few: 10, many: 50, all: 1_000 } as const;
type Span = keyof typeof spans;

/** What was looked at last, kept while the window is open. */
let last: { readonly by: ReportKey; readonly span: Span } = { by: "run", span: "many" };

/** What many runs of this repository came to, by whatever they can be told apart. */
function ReportsPage() {
  const [{ by, span }, setAsked] = useState(last);
  const ask = (asked: typeof last): void => {
    last = asked;
    setAsked(asked);
  };
  const loaded = useReports(by, spans[span]);
  const found = shownValue(loaded);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (found === null) return <div className="h-full" aria-busy="true" />;
  const { runs, report } = found;
  if (runs.rows.length === 0) return <NoRuns />;
  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 px-4 pt-3">
        <Segmented
          label="Group by"
          value={by}
          onChange={(next) => ask({ by: next, span })}
          options={reportKeys.map((value) => ({ value, label: `By ${keyNames[value].toLowerCase()}` }))}
        />
        <Segmented
          label="Runs included"
          value={span}
          onChange={(next) => ask({ by, span: next })}
          options={[
            { value: "few", label: "Newest 10" },
            { value: "many", label: "50" },
            { value: "all", label: "All" },
          ]}
        />
        <span className="text-sm text-faint" role="status">
          {coverage(runs)}
        </span>
        <span className="flex-1" />
        <Exports report={report} />
      </div>
      <ReportSummary runs={runs} />
      <div className="relative min-h-0 flex-1 overflow-auto border-t">
        <ReportTable key={report.by} report={report} linkOf={linkOf(report.by)} />
      </div>
    </div>
  );
}

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
 * Totals and spread of the runs.
 *
 * @param runs a report by run
 */
const ReportSummary = ({ runs }: { readonly runs: Report }) => (
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

/** The requested report, and the one by run for its summary; reloaded when the run progresses. */
function useReports(by: ReportKey, most: number) {
  const moment = useHost(({ run }) =>
    run
      ? `${run.id} ${run.stage} ${run.phase} ${run.workers.filter(({ state }) => state === "done").length}`
      : "",
  );
  return useLoaded(`${by} ${most} ${moment}`, async () => {
    const runs = await client.report.runs({ by: "run", runs: most });
    return { runs, report: by === "run" ? runs : await client.report.runs({ by, runs: most }) };
  });
}

/** Which runs the figures are of. */
function coverage({ from, to, leftOut }: Report): string {
  if (from === null || to === null) return "";
  const day = (at: number): string => new Date(at).toLocaleDateString(undefined, { dateStyle: "medium" });
  const span = day(from) === day(to) ? day(to) : `${day(from)} to ${day(to)}`;
  return leftOut === 0 ? span : `${span}, without ${counted(leftOut, "older run")}`;
}

function Exports({ report }: { readonly report: Report }) {
  const name = `hox-report-by-${report.by}`;
  return (
    <>
      <Button onClick={() => saveFile(`${name}.csv`, "text/csv;charset=utf-8", reportCsv(report))}>
        <Download size={13} aria-hidden />
        CSV
      </Button>
      <Button
        onClick={() => saveFile(`${name}.json`, "application/json", `${JSON.stringify(report, null, 2)}\n`)}
      >
        <Download size={13} aria-hidden />
        JSON
      </Button>
    </>
  );
}

/** The run that is on the graph can be gone to. */
const linkOf =
  (by: ReportKey) =>
  (row: ReportRow, title: ReactNode): ReactNode =>
    by === "run" ? <RunLink run={row.key}>{title}</RunLink> : title;

function RunLink({ run, children }: { readonly run: string; readonly children: ReactNode }) {
  const isOnGraph = useHost((state) => state.run?.id === run);
  return isOnGraph ? <LinkButton onClick={inspectRun}>{children}</LinkButton> : children;
}

const NoRuns = () => (
  <EmptyState
    icon={<ChartColumn size={22} />}
    title="No runs yet"
    action={
      <Button look="primary" onClick={() => openDialog("start-run")}>
        Start a run
      </Button>
    }
  >
    Cost, duration, conflicts and rework appear here after the first run.
  </EmptyState>
);

const page: Page = {
  id: "reports",
  title: "Reports",
  icon: <ChartColumn size={15} />,
  keys: "alt+4",
  words: "metrics figures cost time conflicts rework score model phase pattern runs history csv json export",
  Body: ReportsPage,
};

/** What many runs of this repository came to. */
export const reports: Feature = { pages: [page], actions: [pageAction(page)] };
