import { Copy, Download, GitCompare, Play } from "lucide-react";
import { useState } from "react";
import type { RunListEntry } from "#shared/contract/views/run-list.ts";
import type {
  LeftToDo,
  ReportedResult,
  RunReportAnswer,
  RunReportView,
} from "#shared/contract/views/run-report.ts";
import { shownLine, shownName, shownText } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { dollars, duration } from "../../kit/amounts.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { LineCounts } from "../../kit/line-counts.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { IndeterminateLine } from "../../kit/progress.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt, notify } from "../../state/notice-store.ts";
import { beginReplay } from "../../state/replay.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { Checks, Part, Votes, Workers } from "./report-parts.tsx";
import { lengthOf, outcomeOf } from "./run-facts.ts";
import { useRuns } from "./runs-store.ts";

/** What came of one run, as a page. */
export function RunReport({ entry }: { readonly entry: RunListEntry }) {
  const moment = `${entry.id} ${entry.stage} ${entry.tasksDone} ${entry.landed?.isTakenBack}`;
  const loaded = useLoaded(moment, () => client.runs.report({ run: entry.id }));
  const answer = shownValue(loaded);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (answer?.report.id !== entry.id) return <IndeterminateLine label="Loading the report" />;
  const { report } = answer;
  return (
    <article aria-label="Report" className="mx-auto max-w-[860px] px-6 py-5" data-selectable>
      <Head entry={entry} answer={answer} />
      <Left left={report.left} />
      <Changed result={report.result} />
      {report.decisions.length > 0 && (
        <Part title="Decisions">
          <ul className="space-y-1.5">
            {report.decisions.map(({ title, reason, orchestrator, against }) => (
              <li key={title}>
                <span className="font-medium">{shownLine(title)}</span>{" "}
                <span className="text-muted">
                  by {shownName(orchestrator)}. {shownLine(reason)}
                </span>
                {against.length > 0 && (
                  <span className="text-danger"> Contradicted by: {against.map(shownName).join(", ")}.</span>
                )}
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Workers workers={report.workers} isOver={report.endedAt !== null} />
      <Checks checks={report.checks} />
      {report.phaseVotes.map((votes) => (
        <Votes
          key={`${votes.orchestrator} ${votes.number}`}
          title={`Votes on phase ${votes.number} of ${shownName(votes.orchestrator)}`}
          votes={votes}
          against="Continued despite the verdict"
        />
      ))}
      {report.votes && <Votes title="Votes" votes={report.votes} against="Landed despite the verdict" />}
    </article>
  );
}

interface HeadProps {
  readonly entry: RunListEntry;
  readonly answer: RunReportAnswer;
}

function Head({ entry, answer: { report, markdown } }: HeadProps) {
  const outcome = outcomeOf(entry);
  return (
    <header>
      <h2 className="text-lg font-semibold whitespace-pre-wrap">{shownText(report.goal)}</h2>
      <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
        <Badge tone={outcome.tone}>{shownLine(outcome.text)}</Badge>
        <span>{new Date(report.startedAt).toLocaleString()}</span>
        <span>{shownLine(report.model)}</span>
        {report.rehearsal !== null && <span>rehearsal: model responses were scripted</span>}
      </p>
      {report.failure && (
        <p role="note" className="mt-2 rounded-md bg-danger-soft px-3 py-2 text-sm">
          {shownText(report.failure.reason)}{" "}
          <span className="text-muted">{shownText(report.failure.remedy)}</span>
        </p>
      )}
      <Figures report={report} length={lengthOf(entry, Date.now())} />
      <Actions report={report} markdown={markdown} />
    </header>
  );
}

function Figures({ report, length }: { readonly report: RunReportView; readonly length: number }) {
  const figures: readonly (readonly [string, string])[] = [
    ["Cost", dollars(report.microDollars)],
    ["Duration", duration(length)],
    ["Active time", duration(report.workedMs)],
    ["Requests", report.requests.toLocaleString()],
    ["Conflicts", report.conflicts.toLocaleString()],
    ["Questions", report.questions.toLocaleString()],
    ["Rework", report.reworkedTasks.toLocaleString()],
    ...(report.score === null ? [] : [["Score", report.score.toFixed(2)] as const]),
  ];
  return (
    <dl className="mt-3 grid grid-cols-[repeat(auto-fit,minmax(76px,1fr))] gap-3 rounded-lg border px-3 py-2">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt className="text-xs text-faint">{name}</dt>
          <dd className="tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Actions({ report, markdown }: { readonly report: RunReportView; readonly markdown: string }) {
  const [isOpening, setOpening] = useState(false);
  const hasOther = useHost(({ repository }) => (repository?.runs ?? []).some(({ id }) => id !== report.id));
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      <Button
        size="sm"
        look="primary"
        disabled={isOpening}
        onClick={() => {
          setOpening(true);
          void beginReplay(() => client.replay.open({ run: report.id })).finally(() => setOpening(false));
        }}
      >
        <Play size={13} aria-hidden /> Open read-only
      </Button>
      <Button
        size="sm"
        onClick={() =>
          void attempt("The report was not copied", async () => {
            await navigator.clipboard.writeText(markdown);
            notify("info", "The report was copied as Markdown.");
          })
        }
      >
        <Copy size={13} aria-hidden /> Copy as Markdown
      </Button>
      <Button
        size="sm"
        onClick={() => saveFile(`run-${report.id.slice(0, 8)}.md`, "text/markdown", markdown)}
      >
        <Download size={13} aria-hidden /> Save
      </Button>
      <Button
        size="sm"
        disabled={!hasOther}
        title={hasOther ? "Choose another run in the list (C)" : "There is no other run to compare with"}
        onClick={() => useRuns.setState({ chosen: null, other: report.id })}
      >
        <GitCompare size={13} aria-hidden /> Compare with another
      </Button>
    </div>
  );
}

const Left = ({ left }: { readonly left: readonly LeftToDo[] }) => (
  <Part title="Open work">
    {left.length === 0 ? (
      <p className="text-muted">None known.</p>
    ) : (
      <ul className="list-disc space-y-1 pl-4">
        {left.map(({ kind, who, text }) => (
          <li key={`${kind} ${who} ${text}`}>
            {who !== null && <span className="font-medium">{shownName(who)} </span>}
            {shownLine(text)}
          </li>
        ))}
      </ul>
    )}
  </Part>
);

const whereFrom = {
  landed: "",
  integration: "Integrated but not landed.",
  agents: "Per agent, not integrated.",
  nothing: "No changes.",
} as const;

const Changed = ({ result: { of, files, commits, note } }: { readonly result: ReportedResult }) => (
  <Part title="What changed">
    {whereFrom[of] !== "" && <p className="text-muted">{whereFrom[of]}</p>}
    {note !== null && <p className="text-muted">{shownLine(note)}</p>}
    {commits.length > 0 && (
      <ul className="mb-2 list-disc pl-4">
        {commits.map((title, nth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two commits may have one title
          <li key={nth}>{shownLine(title)}</li>
        ))}
      </ul>
    )}
    {files.length > 0 && (
      <ul>
        {files.map(({ path, added, removed }) => (
          <li key={path} className="flex items-center gap-3 border-t py-1">
            <span className="min-w-0 flex-1 truncate font-mono text-xs" title={shownName(path)}>
              {shownName(path)}
            </span>
            {added === null || removed === null ? (
              <span className="text-muted">not counted</span>
            ) : (
              <LineCounts added={added} removed={removed} />
            )}
          </li>
        ))}
      </ul>
    )}
  </Part>
);
