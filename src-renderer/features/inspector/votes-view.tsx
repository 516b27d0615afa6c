import {
  Ban,
  Check,
  CircleDashed,
  CircleSlash,
  Clock,
  Gauge,
  TriangleAlert,
  UserCheck,
  X,
} from "lucide-react";
import type { SeatView, ValidationView } from "#shared/contract/views/validation.ts";
import { type PanelTrust, trustLine } from "#shared/domain/validation/panel-trust.ts";
import { sideWords, strategyWords, toleranceWords } from "#shared/domain/validation/panel-words.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { ChecksView } from "../../kit/checks-view.tsx";
import { cx } from "../../kit/class-names.ts";
import { openCalibration } from "../../state/calibration.ts";
import { useHost } from "../../state/host-store.ts";
import { useReplay } from "../../state/replay-store.ts";

const signs: Readonly<Record<SeatView["vote"], { Icon: typeof Check; className: string; words: string }>> = {
  pending: { Icon: CircleDashed, className: "text-faint", words: "judging" },
  approve: { Icon: Check, className: "text-success", words: "approves" },
  reject: { Icon: X, className: "text-danger", words: "rejects" },
  abstain: { Icon: CircleSlash, className: "text-muted", words: "abstains" },
  error: { Icon: TriangleAlert, className: "text-warning", words: "gave no readable vote" },
  "timed-out": { Icon: Clock, className: "text-warning", words: "timed out" },
  void: { Icon: Ban, className: "text-warning", words: "void: it judged another commit" },
};

/** Verdicts in words and colours. */
export const verdictTones: Readonly<Record<ValidationView["verdict"], { tone: Tone; words: string }>> = {
  open: { tone: "neutral", words: "votes are open" },
  approved: { tone: "success", words: "approved" },
  rejected: { tone: "danger", words: "rejected" },
  vetoed: { tone: "danger", words: "vetoed by a check" },
  undecided: { tone: "warning", words: "undecided" },
};

/** Seats, their votes as they arrive, and how far they can be trusted. */
export function VotesView({
  validation,
  trust,
}: {
  readonly validation: ValidationView;
  /** Default: as the run that is shown says it. */
  readonly trust?: PanelTrust;
}) {
  const ofRun = useHost(({ run }) => run?.trust ?? null);
  const { seats, quorum } = validation;
  const approvals = seats.filter((seat) => seat.vote === "approve" && seat.counted).length;
  const verdict = verdictTones[validation.verdict];
  return (
    <section className="flex flex-col gap-3" aria-label="Votes">
      <div className="flex items-center gap-3">
        <div className="flex gap-1" role="img" aria-label={`${approvals} of ${quorum} approvals needed`}>
          {seats.map((seat, index) => (
            <span
              key={seat.seat}
              className={cx(
                "h-2 w-6 rounded-full",
                index < approvals ? "bg-success" : index < quorum ? "bg-line-strong" : "bg-line",
              )}
            />
          ))}
        </div>
        <span className="text-sm text-muted tabular-nums">
          {approvals} {approvals === 1 ? "approves" : "approve"}, {quorum} needed
        </span>
        <span className="flex-1" />
        <Badge tone={verdict.tone}>{verdict.words}</Badge>
      </div>
      <Overruled validation={validation} />
      <PanelFacts validation={validation} />
      <PanelTrustLine trust={trust ?? ofRun} />
      <ul className="flex flex-col gap-1.5">
        {seats.map((seat) => {
          const { Icon, className, words } = signs[seat.vote];
          return (
            <li
              key={seat.seat}
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
                <p className="flex items-center gap-1.5">
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
        })}
      </ul>
      <p className="text-xs text-pretty text-faint">
        Judges of one kind err together, so agreement is evidence and not proof; a failed check below vetoes
        whatever the votes say.
      </p>
      {validation.checks.length > 0 && (
        <div className="-m-3">
          <ChecksView checks={validation.checks} />
        </div>
      )}
    </section>
  );
}

/** A person let it land all the same. */
const Overruled = ({ validation: { overruled } }: { readonly validation: ValidationView }) =>
  overruled === undefined ? null : (
    <p className="flex gap-1.5 text-sm text-pretty text-warning" data-overruled data-selectable>
      <UserCheck size={14} className="mt-0.5 shrink-0" aria-hidden />
      <span className="min-w-0">Let through against this verdict by a person: {overruled.reason}</span>
    </p>
  );

/** What was measured of the panel, and when; or that nobody has. */
function PanelTrustLine({ trust }: { readonly trust: PanelTrust | null }) {
  const isReplayed = useReplay(({ view }) => view !== null);
  if (trust === null) return null;
  const isKnown = trust.measured !== null && trust.differs.length === 0;
  return (
    <div className="flex items-start gap-2">
      <p
        className={cx(
          "flex min-w-0 flex-1 gap-1.5 text-xs text-pretty",
          isKnown ? "text-muted" : "text-warning",
        )}
        data-trust={isKnown ? "measured" : trust.measured === null ? "unmeasured" : "another-panel"}
      >
        <Gauge size={14} className="shrink-0" aria-hidden />
        {trustLine(trust, Date.now())}
      </p>
      {!isReplayed && (
        <Button size="sm" look="ghost" onClick={openCalibration}>
          {trust.measured === null ? "Measure this panel…" : "Measure again…"}
        </Button>
      )}
    </div>
  );
}

/** Who sits on it, why so many, and what that can stand. */
function PanelFacts({ validation }: { readonly validation: ValidationView }) {
  const { seats, why, strategy, notes = [], quorum, tolerated } = validation;
  return (
    <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-0.5 text-sm" data-selectable>
      <dt className="text-muted">{seats.length === 1 ? "One seat" : `${seats.length} seats`}</dt>
      <dd className="text-pretty">{why ?? "all that are configured"}</dd>
      {strategy !== undefined && (
        <>
          <dt className="text-muted">Held by</dt>
          <dd className="text-pretty">
            {strategyWords[strategy]}
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
        {toleranceWords(seats.length, quorum, tolerated)}
      </dd>
    </dl>
  );
}

/** In whose role it judges, what it looks at, and which model it is. */
function SeatSide({ seat: { evidence, model, peer } }: { readonly seat: SeatView }) {
  return (
    <p className="flex flex-wrap gap-x-2 text-xs text-faint">
      {peer !== undefined && <span>as {peer}</span>}
      <span>{sideWords(evidence)}</span>
      {model !== undefined && <span>{model}</span>}
    </p>
  );
}
