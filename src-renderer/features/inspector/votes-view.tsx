import {
  Ban,
  Check,
  ChevronRight,
  CircleDashed,
  CircleSlash,
  Clock,
  Gauge,
  type LucideIcon,
  TriangleAlert,
  UserCheck,
  Wrench,
  X,
} from "lucide-react";
import { shownText } from "#shared/domain/text/shown-text.ts";
import {
  evidenceLabel,
  formatApprovals,
  formatTolerance,
  type SeatView,
  strategyDescriptions,
  type ValidationView,
} from "#shared/domain/validation/panel.ts";
import { type PanelTrust, trustLine } from "#shared/domain/validation/panel-trust.ts";
import type { FailedRound, RoundVote } from "#shared/domain/validation/rounds.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { ChecksView } from "../../kit/checks-view.tsx";
import { cx } from "../../kit/class-names.ts";
import { useHost } from "../../state/host-store.ts";

interface VotesViewProps {
  readonly validation: ValidationView;
  /** Verdicts before this one. */
  readonly rounds?: readonly FailedRound[];
  /** Whether a user is asked what becomes of it: then what was said and repaired comes before who judges. */
  readonly isAsked?: boolean;
  /** Default: as the run that is shown says it. */
  readonly trust?: PanelTrust;
}

/** What each seat says, as it arrives; what was said before; and what happened to earlier verdicts of the panel. */
export function VotesView({ validation, rounds = [], isAsked = false, trust }: VotesViewProps) {
  const ofRun = useHost(({ run }) => run?.trust ?? null);
  const { seats, checks } = validation;
  const isUnasked = takesNoVote(validation);
  const reasons = (
    <>
      {(isUnasked || checks.length > 0) && (
        <div className="-m-3">
          <ChecksView checks={checks} />
        </div>
      )}
      <FailedRounds rounds={rounds} isLastOpen={isAsked} />
    </>
  );
  return (
    <section className="flex flex-col gap-3" aria-label="Votes">
      <PanelStatus validation={validation} />
      <Overruled validation={validation} />
      {!isUnasked && (
        <ul className="flex flex-col gap-1.5">
          {seats.map((seat) => (
            <SeatRow key={seat.seat} seat={seat} />
          ))}
        </ul>
      )}
      {(isAsked || isUnasked) && reasons}
      {!isUnasked && (
        <>
          <TrackRecord trust={trust ?? ofRun} />
          <PanelFacts validation={validation} />
          {!isAsked && reasons}
          <p className="text-xs text-pretty text-faint">
            Validators on the same model share blind spots: agreement is evidence, not proof. A failing check
            vetoes whatever the votes say.
          </p>
        </>
      )}
    </section>
  );
}

/** How earlier verdicts of a panel turned out, for a decision based on this one. */
export const TrackRecord = ({ trust }: { readonly trust: PanelTrust | null }) =>
  trust === null ? null : (
    <p className="flex min-w-0 gap-1.5 text-xs text-pretty text-muted">
      <Gauge size={14} className="shrink-0" aria-hidden />
      {trustLine(trust)}
    </p>
  );

interface FailedRoundsProps {
  readonly rounds: readonly FailedRound[];
  /** Whether the last one is read without a click. */
  readonly isLastOpen?: boolean;
}

/** Verdicts before the one that is shown: what each seat said, and what was done about it. */
function FailedRounds({ rounds, isLastOpen = false }: FailedRoundsProps) {
  if (rounds.length === 0) return null;
  return (
    <ol className="flex flex-col gap-1.5" aria-label="Repairs">
      {rounds.map((round, at) => (
        <li key={round.attempt} className="rounded-md border text-sm" data-round={round.attempt}>
          <details className="group" open={isLastOpen && at === rounds.length - 1}>
            <summary className="flex cursor-default items-center gap-2 rounded-md px-2.5 py-1.5 hover:bg-hover">
              <ChevronRight
                size={14}
                className="shrink-0 text-faint transition-transform group-open:rotate-90"
                aria-hidden
              />
              <span className="font-medium whitespace-nowrap">Round {round.attempt}</span>
              <Badge tone={verdictTones[round.verdict].tone} className="shrink-0">
                {verdictTones[round.verdict].words}
              </Badge>
              <span className="min-w-0 flex-1 truncate text-right text-xs text-faint tabular-nums">
                {formatRoundApprovals(round.votes ?? [])}
              </span>
            </summary>
            <RoundReasons round={round} />
          </details>
          <Repair repair={round.repair} />
        </li>
      ))}
    </ol>
  );
}

interface VoteSign {
  readonly Icon: LucideIcon;
  readonly className: string;
  readonly words: string;
}

/** Votes and verdicts in words, signs and colours. */
export const voteSigns: Readonly<Record<SeatView["vote"], VoteSign>> = {
  pending: { Icon: CircleDashed, className: "text-faint", words: "judging" },
  approve: { Icon: Check, className: "text-success", words: "approves" },
  reject: { Icon: X, className: "text-danger", words: "rejects" },
  abstain: { Icon: CircleSlash, className: "text-muted", words: "abstains" },
  error: { Icon: TriangleAlert, className: "text-warning", words: "gave an invalid vote" },
  "timed-out": { Icon: Clock, className: "text-warning", words: "timed out" },
  void: { Icon: Ban, className: "text-warning", words: "void: judged a different commit" },
};

export const verdictTones: Readonly<Record<ValidationView["verdict"], { tone: Tone; words: string }>> = {
  open: { tone: "neutral", words: "voting" },
  approved: { tone: "success", words: "approved" },
  rejected: { tone: "danger", words: "rejected" },
  vetoed: { tone: "danger", words: "vetoed by a check" },
  undecided: { tone: "warning", words: "undecided" },
};

/** Earlier judges of the seat; empty without any. */
const formatJudgeCount = (judges = 1): string => (judges === 1 ? "" : `${judges} judges in turn`);

const formatRoundApprovals = (votes: readonly RoundVote[]): string =>
  votes.length === 0
    ? ""
    : `${votes.filter(({ vote }) => vote === "approve").length} of ${votes.length} approved`;

/** After a failed check there were no votes, and only the reasons are known. */
function RoundReasons({ round: { votes = [], reasons } }: { readonly round: FailedRound }) {
  if (votes.length === 0)
    return (
      <div
        className="mx-2.5 mb-2 max-h-48 overflow-auto rounded-md bg-sunken px-2 py-1.5 font-mono text-xs whitespace-pre-wrap"
        data-selectable
      >
        {shownText(reasons.join("\n\n"))}
      </div>
    );
  return (
    <ul className="mx-2.5 mb-2 flex flex-col gap-1" data-selectable>
      {votes.map(({ seat, evidence, vote, reason, judges }) => {
        const { Icon, className, words } = voteSigns[vote];
        return (
          <li key={seat} className="flex gap-2" data-vote={vote}>
            <Icon size={14} className={cx("mt-[3px] shrink-0", className)} aria-label={words} />
            <p className="min-w-0 whitespace-pre-wrap">
              {seat}{" "}
              <span className="text-xs text-faint">
                {[evidenceLabel(evidence), formatJudgeCount(judges)].filter((word) => word !== "").join(", ")}
              </span>
              <span className="block text-muted">{shownText(reason)}</span>
            </p>
          </li>
        );
      })}
    </ul>
  );
}

function Repair({ repair: { words, summary } }: Pick<FailedRound, "repair">) {
  return (
    <div className="flex flex-col gap-0.5 border-t px-2.5 py-1.5" data-selectable>
      {words !== "" && (
        <p className="whitespace-pre-wrap">
          <span className="text-muted">You said:</span> {words}
        </p>
      )}
      <p className="flex gap-1.5">
        <Wrench size={14} className="mt-[3px] shrink-0 text-muted" aria-hidden />
        <span className="min-w-0">
          <span className="text-muted">Repaired:</span> {summary === "" ? "no summary" : shownText(summary)}
        </span>
      </p>
    </div>
  );
}

/** A check that fails is a veto, and a phase can be held to the checks alone. */
const takesNoVote = ({ verdict, seats }: ValidationView): boolean =>
  verdict === "vetoed" || seats.length === 0;

/** The verdict, and how it comes about: one bar for each seat. */
function PanelStatus({ validation }: { readonly validation: ValidationView }) {
  const { seats, quorum, verdict } = validation;
  const of = (wanted: SeatView["vote"]): number =>
    seats.filter(({ vote, counted }) => vote === wanted && counted).length;
  const [approvals, rejections] = [of("approve"), of("reject")];
  const { tone, words } = verdictTones[verdict];
  return (
    <div className="flex items-center gap-3">
      {takesNoVote(validation) ? (
        <span className="min-w-0 flex-1 text-sm text-pretty text-muted">
          {seats.length === 0
            ? "The combined work has to pass the checks."
            : "A failed check is a veto: no validator votes."}
        </span>
      ) : (
        <>
          <div
            className="flex max-w-28 min-w-8 flex-1 gap-1"
            role="img"
            aria-label={`${formatApprovals(approvals, seats.length, quorum)}, ${rejections} against`}
          >
            {seats.map(({ seat }, at) => (
              <span
                key={seat}
                className={cx(
                  "h-2 min-w-0.5 flex-1 rounded-full",
                  at < approvals
                    ? "bg-success"
                    : at < approvals + rejections
                      ? "bg-danger"
                      : at < quorum
                        ? "bg-line-strong"
                        : "bg-line",
                )}
              />
            ))}
          </div>
          <span className="text-sm whitespace-nowrap text-muted tabular-nums">
            {approvals} {approvals === 1 ? "approves" : "approve"}, {quorum} needed
          </span>
        </>
      )}
      <Badge tone={tone} className="ml-auto shrink-0">
        {words}
      </Badge>
    </div>
  );
}

function SeatRow({ seat }: { readonly seat: SeatView }) {
  const { Icon, className, words } = voteSigns[seat.vote];
  return (
    <li
      className="flex min-h-[52px] gap-2.5 rounded-md border px-2.5 py-2"
      data-seat={seat.seat}
      data-vote={seat.vote}
    >
      <Icon
        size={16}
        className={cx("mt-0.5 shrink-0", className, seat.vote === "pending" && "breathe")}
        aria-hidden
      />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-1.5">
          <span className="font-medium">{seat.seat}</span>
          <span className={cx("text-sm", className)}>{words}</span>
        </p>
        <SeatSide seat={seat} />
        {seat.reason && (
          <p className="mt-0.5 text-sm whitespace-pre-wrap text-muted" data-selectable>
            {seat.reason}
          </p>
        )}
      </div>
    </li>
  );
}

/** A user let it land all the same. */
const Overruled = ({ validation: { overruled } }: { readonly validation: ValidationView }) =>
  overruled === undefined ? null : (
    <p className="flex gap-1.5 text-sm text-pretty text-warning" data-overruled data-selectable>
      <UserCheck size={14} className="mt-0.5 shrink-0" aria-hidden />
      <span className="min-w-0">Overridden. Reason: {overruled.reason}</span>
    </p>
  );

/** Who is on the panel, why it has this size, and how many wrong votes it tolerates. */
function PanelFacts({ validation }: { readonly validation: ValidationView }) {
  const { seats, why, strategy, notes = [], quorum, tolerated } = validation;
  return (
    <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-0.5 text-sm" data-selectable>
      <dt className="text-muted">{seats.length === 1 ? "1 seat" : `${seats.length} seats`}</dt>
      <dd className="text-pretty">{why ?? "all configured validators"}</dd>
      {strategy !== undefined && (
        <>
          <dt className="text-muted">Judges</dt>
          <dd className="text-pretty">
            {strategyDescriptions[strategy]}
            {notes.map((note) => (
              <span key={note} className="flex items-baseline gap-1.5 text-muted">
                <TriangleAlert size={12} className="shrink-0 translate-y-0.5 text-warning" aria-hidden />
                {note}
              </span>
            ))}
          </dd>
        </>
      )}
      <dt className="text-muted">Tolerates</dt>
      <dd className={cx("text-pretty", tolerated === 0 && "text-warning")}>
        {formatTolerance(seats.length, quorum, tolerated)}
      </dd>
    </dl>
  );
}

/** In whose role it judges, what it looks at, and which model it is. */
function SeatSide({ seat: { evidence, model, peer, judges } }: { readonly seat: SeatView }) {
  return (
    <p className="flex flex-wrap gap-x-2 text-xs text-faint">
      {peer !== undefined && <span>as {peer}</span>}
      <span>{evidenceLabel(evidence)}</span>
      {model !== undefined && <span>{model}</span>}
      {judges !== undefined && <span className="text-warning">{formatJudgeCount(judges)}</span>}
    </p>
  );
}
