import { Copy, Download, GitCompare, Play } from "lucide-react";
import { type ReactNode, useState } from "react";
import type {
  LeftToDo,
  ReportedCheck,
  ReportedResult,
  ReportedVotes,
  ReportedWorkerView,
  RunReportAnswer,
  RunReportView,
} from "#shared/contract/commands/report.ts";
import type { RunListEntry } from "#shared/contract/views/run.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/preflight.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName, shownText } from "#shared/domain/text/shown-text.ts";
import type { FailedRound } from "#shared/domain/validation/rounds.ts";
import { client } from "../../client.ts";
import { dollars, duration } from "../../kit/amounts.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { LineCounts } from "../../kit/line-diff.tsx";
import { IndeterminateLine, LoadFailure } from "../../kit/load-failure.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { useHost } from "../../state/host-store.ts";
import { copyText } from "../../state/notify.ts";
import { beginReplay } from "../../state/replay.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
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
      {report.missing.length > 0 && (
        <Part title="Missing from the result">
          <ul className="space-y-1.5">
            {report.missing.map((line) => (
              <li key={line}>{shownLine(line)}</li>
            ))}
          </ul>
          {report.landed?.without !== undefined && (
            <p className="mt-1.5 text-warning">
              Landed without it. Reason: {shownLine(report.landed.without)}
            </p>
          )}
        </Part>
      )}
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
      {report.people.length > 0 && (
        <Part title="What people did">
          <ul className="space-y-1.5">
            {report.people.map(({ at, by, did }) => (
              <li key={`${at} ${by} ${did}`}>
                <span className="font-medium">{shownLine(by)}</span> {shownLine(did)}{" "}
                <RelativeTime at={at} className="text-sm text-faint" />
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

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section aria-label={title} className="mt-6 text-sm">
    <h3 className="mb-1.5 font-semibold">{title}</h3>
    {children}
  </section>
);

/** Who plans or judges has no task that is done: with the run it is over. */
const formatStatus = ({ status }: ReportedWorkerView, isOver: boolean): string =>
  isOver && status === "in_progress" ? "" : status.replaceAll("_", " ");

interface WorkersProps {
  readonly workers: readonly ReportedWorkerView[];
  readonly isOver: boolean;
}

const Workers = ({ workers, isOver }: WorkersProps) => (
  <Part title="Agents">
    <table className="w-full tabular-nums">
      <thead>
        <tr className="text-left text-faint">
          {["Who", "What", "Status"].map((name) => (
            <th key={name} scope="col" className="py-1 font-normal">
              {name}
            </th>
          ))}
          {["Iterations", "Time", "Cost"].map((name) => (
            <th key={name} scope="col" className="py-1 text-right font-normal">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {workers.map((worker) => (
          <tr key={worker.name} className="border-t">
            <td className="py-1 pr-3 whitespace-nowrap">
              <span className="flex items-center gap-1.5">
                <Avatar name={worker.name} /> {shownName(worker.name)}
              </span>
            </td>
            <td className="w-full max-w-0 truncate py-1 pr-3" title={shownLine(worker.title)}>
              {shownLine(worker.title)}
            </td>
            <td className="py-1 pr-3 whitespace-nowrap text-muted">
              {worker.replacedBy === null
                ? formatStatus(worker, isOver)
                : `reassigned to ${shownName(worker.replacedBy)}`}
            </td>
            <td className="py-1 text-right">{worker.iterations}</td>
            <td className="py-1 pl-3 text-right whitespace-nowrap">{duration(worker.milliseconds)}</td>
            <td className="py-1 pl-3 text-right">{dollars(worker.microDollars)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Part>
);

const Checks = ({ checks }: { readonly checks: readonly ReportedCheck[] }) =>
  checks.length === 0 ? null : (
    <Part title="Checks">
      <ul>
        {checks.map(({ name, outcome, ms }) => (
          <li key={name} className="flex items-center gap-3 border-t py-1">
            <span className="min-w-0 flex-1 truncate font-mono text-xs">{shownName(name)}</span>
            <Badge tone={outcome === "passed" ? "success" : isBlocking({ outcome }) ? "danger" : "warning"}>
              {outcomeText[outcome]}
            </Badge>
            <span className="w-16 text-right text-muted tabular-nums">{duration(ms)}</span>
          </li>
        ))}
      </ul>
    </Part>
  );

interface VotesProps {
  readonly title: string;
  readonly votes: ReportedVotes;
  /** How the user overruled the verdict, if so. */
  readonly against: string;
}

const Votes = ({ title, votes, against }: VotesProps) => (
  <Part title={title}>
    <p className="text-muted">
      {votes.verdict}; {votes.quorum} of {counted(votes.seats.length, "vote")} required to approve.
      {votes.trust !== null && ` ${shownLine(votes.trust)}`}
    </p>
    <VoteList votes={votes.seats} />
    {votes.overruled !== null && (
      <p className="mt-1">
        {against}: {shownLine(votes.overruled)}
      </p>
    )}
    {votes.rounds.map((round) => (
      <Round key={round.attempt} round={round} />
    ))}
  </Part>
);

/** A verdict before that one, and what was done about it. */
const Round = ({
  round: { attempt, verdict, reasons, votes = [], repair },
}: {
  readonly round: FailedRound;
}) => (
  <section aria-label={`Round ${attempt}`} className="mt-3 border-l-2 pl-3">
    <h4 className="font-medium">
      Round {attempt} <span className="font-normal text-muted">{verdict}</span>
    </h4>
    {votes.length === 0 ? (
      <p className="text-muted">{shownLine(reasons.join(" "))}</p>
    ) : (
      <VoteList votes={votes} />
    )}
    {repair.words !== "" && <p className="mt-1">You said: {shownLine(repair.words)}</p>}
    <p className="mt-1">
      {repair.summary === "" ? "No summary of the repair." : `Repaired: ${shownLine(repair.summary)}`}
    </p>
  </section>
);

const VoteList = ({
  votes,
}: {
  readonly votes: readonly {
    readonly seat: string;
    readonly evidence: string;
    readonly vote: string;
    readonly reason: string;
  }[];
}) => (
  <ul className="mt-1">
    {votes.map(({ seat, evidence, vote, reason }) => (
      <li key={seat} className="border-t py-1">
        <span className="font-medium">{shownName(seat)}</span>{" "}
        <span className="text-muted">
          ({shownLine(evidence)}) {vote}
        </span>
        {reason !== "" && <p className="text-muted">{shownLine(reason)}</p>}
      </li>
    ))}
  </ul>
);

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
      <Button size="sm" onClick={() => void copyText("report", markdown)}>
        <Copy size={13} aria-hidden /> Copy as Markdown
      </Button>
      <Button
        size="sm"
        onClick={() => saveFile(`run-${report.id.slice(0, 8)}.md`, "text/markdown;charset=utf-8", markdown)}
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
