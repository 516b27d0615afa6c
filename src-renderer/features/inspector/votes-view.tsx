import { Ban, Check, CircleDashed, CircleSlash, Clock, TriangleAlert, X } from "lucide-react";
import type { SeatView, ValidationView } from "#shared/contract/views/validation.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { ChecksView } from "../../kit/checks-view.tsx";
import { cx } from "../../kit/class-names.ts";

const signs: Readonly<Record<SeatView["vote"], { Icon: typeof Check; className: string; words: string }>> = {
  pending: { Icon: CircleDashed, className: "text-faint", words: "judging" },
  approve: { Icon: Check, className: "text-success", words: "approves" },
  reject: { Icon: X, className: "text-danger", words: "rejects" },
  abstain: { Icon: CircleSlash, className: "text-muted", words: "abstains" },
  error: { Icon: TriangleAlert, className: "text-warning", words: "gave no readable vote" },
  "timed-out": { Icon: Clock, className: "text-warning", words: "timed out" },
  void: { Icon: Ban, className: "text-warning", words: "void: it judged another commit" },
};

const verdicts: Readonly<Record<ValidationView["verdict"], { tone: Tone; words: string }>> = {
  open: { tone: "neutral", words: "votes are open" },
  approved: { tone: "success", words: "approved" },
  rejected: { tone: "danger", words: "rejected" },
  vetoed: { tone: "danger", words: "vetoed by a check" },
  undecided: { tone: "warning", words: "undecided" },
};

/** Seats, their votes as they arrive, and how far they can be trusted. */
export function VotesView({ validation }: { readonly validation: ValidationView }) {
  const { seats, quorum, tolerated } = validation;
  const approvals = seats.filter((seat) => seat.vote === "approve" && seat.counted).length;
  const verdict = verdicts[validation.verdict];
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
          {approvals} of {quorum} needed
        </span>
        <span className="flex-1" />
        <Badge tone={verdict.tone}>{verdict.words}</Badge>
      </div>
      {validation.why !== undefined && (
        <p className="text-sm text-muted">
          {seats.length === 1 ? "One seat" : `${seats.length} seats`}: {validation.why}
        </p>
      )}
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
                  <span className="flex-1" />
                  <span className="text-xs text-faint">{seat.evidence}</span>
                </p>
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
        {seats.length} seats, {tolerated === 0 ? "none may be wrong" : `${tolerated} may be wrong or silent`}.
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
