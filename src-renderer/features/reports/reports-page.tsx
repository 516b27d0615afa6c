import { ChartColumn, Download } from "lucide-react";
import { type ReactNode, useState } from "react";
import { reportCsv } from "#shared/domain/report/report.ts";
import {
  type Report,
  type ReportKey,
  type ReportRow,
  reportKeys,
} from "#shared/domain/report/report-figures.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { Segmented } from "../../kit/segmented.tsx";
import { useHost } from "../../state/host-store.ts";
import { inspectRun, openDialog } from "../../state/selection-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { keyNames } from "./report-columns.tsx";
import { ReportSummary } from "./report-summary.tsx";
import { ReportTable } from "./report-table.tsx";

const spans = { few: 10, many: 50, all: 1_000 } as const;
type Span = keyof typeof spans;

/** What was looked at last, kept while the window is open. */
let last: { readonly by: ReportKey; readonly span: Span } = { by: "run", span: "many" };

/** What many runs of this repository came to, by whatever they can be told apart. */
export function ReportsPage() {
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

/** The report that was asked for, and the one by run that its summary is made of; anew when the run comes further. */
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
  return leftOut === 0 ? span : `${span}, without ${leftOut} older ${leftOut === 1 ? "run" : "runs"}`;
}

function Exports({ report }: { readonly report: Report }) {
  const name = `hox-report-by-${report.by}`;
  return (
    <>
      <Button onClick={() => saveFile(`${name}.csv`, "text/csv", reportCsv(report))}>
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
  return isOnGraph ? (
    <button type="button" className="text-accent-text hover:underline" onClick={inspectRun}>
      {children}
    </button>
  ) : (
    children
  );
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
