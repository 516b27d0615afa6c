import type { ReactNode } from "react";
import type { ReportedCheck, ReportedVotes, ReportedWorkerView } from "#shared/contract/views/run-report.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/known-failures.ts";
import { counted } from "#shared/domain/text/counted.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import type { FailedRound } from "#shared/domain/validation/failed-rounds.ts";
import { dollars, duration } from "../../kit/amounts.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";

export const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
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

export const Workers = ({ workers, isOver }: WorkersProps) => (
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

export const Checks = ({ checks }: { readonly checks: readonly ReportedCheck[] }) =>
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
  /** What a person did against the verdict, where somebody did. */
  readonly against: string;
}

export const Votes = ({ title, votes, against }: VotesProps) => (
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
