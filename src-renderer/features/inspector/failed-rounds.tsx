import { ChevronRight, Wrench } from "lucide-react";
import { shownText } from "#shared/domain/text/shown-text.ts";
import type { FailedRound, RoundVote } from "#shared/domain/validation/failed-rounds.ts";
import { evidenceLabel } from "#shared/domain/validation/panel-words.ts";
import { Badge } from "../../kit/badge.tsx";
import { cx } from "../../kit/class-names.ts";
import { formatJudgeCount, verdictTones, voteSigns } from "./vote-words.ts";

interface FailedRoundsProps {
  readonly rounds: readonly FailedRound[];
  /** Whether the last one is read without a click. */
  readonly isLastOpen?: boolean;
}

/** Verdicts before the one that is shown: what each seat said, and what was done about it. */
export function FailedRounds({ rounds, isLastOpen = false }: FailedRoundsProps) {
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
                {formatApprovals(round.votes ?? [])}
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

const formatApprovals = (votes: readonly RoundVote[]): string =>
  votes.length === 0
    ? ""
    : `${votes.filter(({ vote }) => vote === "approve").length} of ${votes.length} approved`;

/** Where a check failed nobody voted, and only the reasons are known. */
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
