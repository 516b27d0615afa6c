/** What is still ahead of a run, at the right end of its spine. */
import type { SeatView } from "#shared/contract/views/validation.ts";
import { basisWords, leftWords, roughTime } from "#shared/domain/forecast/forecast-words.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { FailedRound } from "#shared/domain/validation/failed-rounds.ts";
import { approvalsWords } from "#shared/domain/validation/panel-words.ts";
import { spineY } from "#shared/graph/run-canvas/canvas-columns.ts";
import type { CanvasColumns, RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { cx } from "../../kit/class-names.ts";
import { goToCard, goToVotes } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { inspect, inspectRun } from "../../state/selection-store.ts";
import type { RunOnCanvas } from "./run-on-canvas.ts";

interface RunAheadProps {
  readonly canvas: RunCanvas;
  readonly run: RunOnCanvas;
}

const hasIntegrated = ({ integration, stage }: RunOnCanvas): boolean =>
  integration !== null && stage !== "integrating" && stage !== "executing";

/** Its branch holds what landed: that was not taken back. */
const hasLanded = ({ landed }: RunOnCanvas): boolean => landed !== null && landed.undoneAt == null;

/** px as far as a run has come of what stands right of now; 0: nowhere yet. */
export function reachedAt(run: RunOnCanvas, { integrate, seats, land }: CanvasColumns): number {
  if (hasLanded(run)) return land;
  if (run.validation?.verdict === "approved") return Math.max(0, ...seats.map(({ x }) => x));
  return integrate && hasIntegrated(run) ? integrate.x : 0;
}

/** Integration, votes and landing: empty until they come, and there from the beginning on. */
export function RunAhead({ canvas: { columns }, run }: RunAheadProps) {
  const { integrate, seats, land } = columns;
  const isIntegrated = hasIntegrated(run);
  const votes = run.validation?.seats ?? [];
  const approvals = votes.filter(({ vote, counted }) => vote === "approve" && counted).length;
  const rounds = run.rounds ?? [];
  const { integration } = run;
  return (
    <>
      {integrate && (
        <button
          type="button"
          tabIndex={-1}
          data-stop
          disabled={integration === null}
          onClick={() => integration && inspect(integration)}
          className={cx(
            "absolute flex items-center justify-center rounded-md border-2 bg-surface text-xs",
            isIntegrated
              ? "border-success text-success"
              : run.stage === "integrating"
                ? "border-progress text-warning"
                : "border-dashed border-line-strong text-muted",
          )}
          style={{
            left: integrate.x - integrate.width / 2,
            width: integrate.width,
            top: spineY - 14,
            height: 28,
          }}
        >
          {isIntegrated ? "integrated" : "integrate"}
        </button>
      )}
      {seats.map(({ x, y }, index) => {
        const seat = votes[index];
        const words = seat ? seatWords(seat, rounds) : "an empty seat";
        return (
          <button
            // Seats have their places by number.
            key={`${x} ${y}`}
            type="button"
            tabIndex={-1}
            {...(index === 0 ? { "data-stop": true } : {})}
            aria-label={words}
            title={words}
            data-vote={seat?.vote ?? "empty"}
            onClick={seat ? goToVotes : inspectRun}
            className={cx(
              "absolute size-[13px] rounded-full border-2",
              seat ? voteLook[seat.vote] : "border-dotted border-line-strong bg-surface",
            )}
            style={{ left: x - 6.5, top: y - 6.5 }}
          />
        );
      })}
      {run.validation && seats.length > 0 && (
        <span
          className="absolute text-xs leading-[14px] whitespace-nowrap text-muted"
          // In little room it ends where the canvas does.
          style={{
            left: Math.min((seats[0]?.x ?? 0) - 12, land - (rounds.length === 0 ? 42 : 72)),
            top: spineY + 14,
          }}
          title={[
            approvalsWords(approvals, votes.length, run.validation.quorum),
            ...rounds.map(roundWords),
          ].join("\n")}
          data-rounds={rounds.length}
        >
          {approvals} of {votes.length}
          {rounds.length > 0 && <span className="text-faint"> · round {run.validation.attempt}</span>}
        </span>
      )}
      <Landing x={land} run={run} isForecast={rounds.length === 0} />
    </>
  );
}

interface LandingProps {
  readonly x: number;
  readonly run: RunOnCanvas;
  /** Whether what is left is said here as well; what the votes came to may need the room. */
  readonly isForecast: boolean;
}

/** Where it ends, and when about. */
function Landing({ x, run, isForecast }: LandingProps) {
  const left = run.forecast?.left ?? null;
  const card = useHost(({ inbox }) => inbox.find(({ kind }) => kind === "land")?.id ?? null);
  const isLanded = hasLanded(run);
  const words = isLanded
    ? "landed"
    : run.landed
      ? "landed, and taken back"
      : card === null
        ? "not landed yet"
        : "ready to land";
  return (
    <>
      {left && isForecast && run.landed === null && (
        <span
          data-ahead-forecast
          className="absolute text-xs whitespace-nowrap text-faint tabular-nums"
          style={{ right: 4, top: spineY + 14 }}
          title={`${leftWords(left)}. ${basisWords(left)}`}
        >
          ≈ {roughTime(left.milliseconds.middle)}
        </span>
      )}
      <button
        type="button"
        tabIndex={-1}
        data-stop
        aria-label={words}
        title={words}
        onClick={() => (card === null ? inspectRun() : goToCard(card))}
        className={cx(
          "absolute size-4 rounded-full border-2",
          isLanded
            ? "border-success bg-success"
            : card === null
              ? "border-dotted border-line-strong bg-surface"
              : "border-success bg-surface",
        )}
        style={{ left: x - 8, top: spineY - 8 }}
      />
    </>
  );
}

const seatWords = ({ seat, evidence, vote, reason }: SeatView, rounds: readonly FailedRound[]): string =>
  [
    `${seat}, ${evidence}: ${voteWords(vote, reason)}`,
    ...rounds.flatMap(({ attempt, votes = [] }) => {
      const before = votes.find((one) => one.seat === seat);
      return before ? [`Round ${attempt}: ${voteWords(before.vote, before.reason)}`] : [];
    }),
  ].join("\n");

const voteWords = (vote: string, reason: string): string =>
  `${vote}${reason === "" ? "" : `. ${shownLine(reason)}`}`;

const roundWords = ({ attempt, verdict, votes = [], repair }: FailedRound): string =>
  [
    `Round ${attempt} was ${verdict}`,
    ...(votes.length === 0
      ? []
      : [`, ${votes.filter(({ vote }) => vote === "approve").length} of ${votes.length} approved`]),
    ...(repair.summary === "" ? [] : [`. Repaired: ${shownLine(repair.summary)}`]),
  ].join("");

const voteLook = {
  pending: "breathe border-progress bg-surface",
  approve: "border-success bg-success",
  reject: "border-danger bg-danger",
  abstain: "border-faint bg-faint",
  error: "border-danger bg-surface",
  "timed-out": "border-warning bg-surface",
  void: "border-faint bg-surface",
} as const;
