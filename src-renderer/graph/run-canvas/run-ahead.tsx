/** What is still ahead of a run, at the right end of its spine. */
import { GitMerge } from "lucide-react";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { formatApprovals, type SeatView } from "#shared/domain/validation/panel.ts";
import type { FailedRound } from "#shared/domain/validation/rounds.ts";
import { spineY } from "#shared/graph/run-canvas/canvas-columns.ts";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { cx } from "../../kit/class-names.ts";
import { goToCard, goToVotes } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { inspect, inspectRun } from "../../state/selection-store.ts";
import type { RunOnCanvas } from "./run-canvas-input.ts";

interface RunAheadProps {
  readonly canvas: RunCanvas;
  readonly run: RunOnCanvas;
}

/** Its branch holds what landed: that was not taken back. */
const hasLanded = ({ landed }: RunOnCanvas): boolean => landed !== null && landed.undoneAt == null;

/** px of a box from which a word fits in it. */
const minWidthForLabel = 50;

/** Integration, votes and landing while they are ahead; once they are over, they are marks at their time. */
export function RunAhead({ canvas: { columns }, run }: RunAheadProps) {
  const { integrate, land } = columns;
  const votes = run.validation?.seats ?? [];
  const rounds = run.rounds;
  const { integration } = run;
  const isIntegrating = run.stage === "integrating";
  return (
    <>
      {integrate && (
        <button
          type="button"
          tabIndex={-1}
          data-stop
          aria-label={isIntegrating ? "integrating" : "integrate"}
          title={isIntegrating ? "integrating" : "integrate: combine all work in one change"}
          disabled={integration === null}
          onClick={() => integration && inspect(integration)}
          className={cx(
            "absolute flex items-center justify-center rounded-md border-2 bg-surface text-xs",
            isIntegrating ? "border-progress text-warning" : "border-dashed border-line-strong text-muted",
          )}
          style={{
            left: integrate.x - integrate.width / 2,
            width: integrate.width,
            top: spineY - 14,
            height: 28,
          }}
        >
          {integrate.width < minWidthForLabel ? <GitMerge size={14} aria-hidden /> : "integrate"}
        </button>
      )}
      {[...columns.seats, ...columns.votes].map(({ x, y }, index) => {
        const seat = votes[index];
        const words = seat ? formatSeat(seat, rounds) : "a validator that has not started";
        return (
          <button
            // Seats have their places by number.
            key={`${x} ${y}`}
            type="button"
            tabIndex={-1}
            data-stop
            aria-label={words}
            title={words}
            data-vote={seat?.vote ?? "empty"}
            onClick={seat ? goToVotes : inspectRun}
            className="absolute flex size-6 items-center justify-center rounded-full"
            style={{ left: x - 12, top: y - 12 }}
          >
            <SeatSign vote={seat?.vote ?? null} />
          </button>
        );
      })}
      {columns.votes.length > 0 && <VotesChip columns={columns} run={run} />}
      {hasLanded(run) || run.endedAt !== null ? null : <Landing x={land} run={run} />}
    </>
  );
}

interface VotesChipProps {
  readonly columns: RunCanvas["columns"];
  readonly run: RunOnCanvas;
}

/** What the votes came to, above them, where no mark is; left of the sign of now. */
function VotesChip({ columns, run }: VotesChipProps) {
  const votes = votesText(run);
  const right = Math.max(...columns.votes.map(({ x }) => x)) + 8;
  return (
    votes && (
      <span
        title={votes.long}
        data-rounds={run.rounds.length}
        className="absolute -translate-x-full rounded-full border bg-surface px-1.5 text-xs leading-4 whitespace-nowrap text-muted"
        style={{ left: Math.min(right, columns.now - 26), top: 3 }}
      >
        {votes.short}
      </span>
    )
  );
}

/** How a seat voted; dotted while it has no vote. */
export const SeatSign = ({ vote }: { readonly vote: SeatView["vote"] | null }) => (
  <i
    className={cx(
      "size-[13px] rounded-full border-2",
      vote === null ? "border-dotted border-line-strong bg-surface" : voteLook[vote],
    )}
  />
);

interface LandingProps {
  readonly x: number;
  readonly run: RunOnCanvas;
}

/** Where it ends. */
function Landing({ x, run }: LandingProps) {
  const card = useHost(({ inbox }) => inbox.find(({ kind }) => kind === "land")?.id ?? null);
  const words = run.landed ? "landed, then undone" : card === null ? "not landed yet" : "ready to land";
  return (
    <button
      type="button"
      tabIndex={-1}
      data-stop
      aria-label={words}
      title={words}
      onClick={() => (card === null ? inspectRun() : goToCard(card))}
      className="absolute flex size-6 items-center justify-center rounded-full"
      style={{ left: x - 12, top: spineY - 12 }}
    >
      <LandingSign isReady={card !== null} />
    </button>
  );
}

/** Where a run lands: a full ring once it waits for a yes. */
export const LandingSign = ({ isReady }: { readonly isReady: boolean }) => (
  <i
    className={cx(
      "size-4 rounded-full border-2 bg-surface",
      isReady ? "border-success" : "border-dotted border-line-strong",
    )}
  />
);

/** The number of approvals and the round; null while there is no vote. */
export function votesText({
  validation,
  rounds,
}: RunOnCanvas): { readonly short: string; readonly long: string } | null {
  if (!validation || validation.seats.length === 0) return null;
  const approvals = validation.seats.filter(({ vote, counted }) => vote === "approve" && counted).length;
  return {
    short: `${approvals} of ${validation.seats.length}${rounds.length > 0 ? ` · round ${validation.attempt}` : ""}`,
    long: [
      formatApprovals(approvals, validation.seats.length, validation.quorum),
      ...rounds.map(formatFailedRound),
    ].join("\n"),
  };
}

const formatSeat = ({ seat, evidence, vote, reason }: SeatView, rounds: readonly FailedRound[]): string =>
  [
    `${seat}, ${evidence}: ${formatVote(vote, reason)}`,
    ...rounds.flatMap(({ attempt, votes = [] }) => {
      const before = votes.find((one) => one.seat === seat);
      return before ? [`Round ${attempt}: ${formatVote(before.vote, before.reason)}`] : [];
    }),
  ].join("\n");

const formatVote = (vote: string, reason: string): string =>
  `${vote}${reason === "" ? "" : `. ${shownLine(reason)}`}`;

const formatFailedRound = ({ attempt, verdict, votes = [], repair }: FailedRound): string =>
  [
    `Round ${attempt} was ${verdict}`,
    ...(votes.length === 0
      ? []
      : [`, ${votes.filter(({ vote }) => vote === "approve").length} of ${votes.length} approved`]),
    ...(repair.summary === "" ? [] : [`. Repaired: ${shownLine(repair.summary)}`]),
  ].join("");

export const voteLook = {
  pending: "breathe border-progress bg-surface",
  approve: "border-success bg-success",
  reject: "border-danger bg-danger",
  abstain: "border-faint bg-faint",
  error: "border-danger bg-surface",
  "timed-out": "border-warning bg-surface",
  void: "border-faint bg-surface",
} as const;
