/** Drawn over the lanes: decisions, and work that would conflict. */
import { memo, useState } from "react";
import { parseAddress } from "#shared/domain/change-metadata/address.ts";
import { isOfOtherRun } from "#shared/domain/radar/radar.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { DecisionBar, RadarBracket } from "#shared/graph/run-canvas/run-canvas.ts";
import { showConflict } from "../../features/conflict/conflict-store.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { cx } from "../../kit/class-names.ts";
import { goToCard, goToRow } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { inspect } from "../../state/selection-store.ts";
import { ConflictButton } from "./conflict-button.tsx";
import { inspectWorker } from "./inspect-worker.ts";
import { useChangeOfWorker } from "./use-change-of.ts";

interface DecisionProps {
  readonly bar: DecisionBar;
  /** px of the canvas. */
  readonly width: number;
}

/** A bar from the spine through all lanes that it binds; hatched while it waits for a yes. */
export const Decision = memo(function Decision({ bar, width }: DecisionProps) {
  const waits = bar.decision.state === "waits";
  const words = `Decision${waits ? " waiting for you" : ""}: ${shownLine(bar.decision.title)}`;
  const open = (): void => {
    if (waits && bar.decision.card !== null) goToCard(bar.decision.card);
    else inspect(bar.decision.id);
  };
  const { x, top, bottom, title } = bar;
  const isLeft = width - x < 180;
  const [wasWaiting] = useState(waits);
  return (
    <div
      className="canvas-move pointer-events-none absolute z-20 w-0"
      style={{ left: x, top, height: Math.max(1, bottom - top) }}
    >
      <div
        // Another element, so that what was agreed to just now sweeps down.
        key={bar.decision.state}
        className={cx(
          "decision-bar absolute -left-[2px] h-full w-[4px] rounded-full",
          waits && "is-waiting",
          wasWaiting && !waits && "is-new",
        )}
      />
      <button
        type="button"
        tabIndex={-1}
        data-decision={bar.decision.id}
        data-stop
        aria-label={words}
        title={words}
        onClick={open}
        className="pointer-events-auto absolute -top-[8px] -left-[8px] size-4 rotate-45 rounded-[3px] bg-progress"
      />
      {title && (
        <span
          className={cx(
            "absolute -top-[32px] truncate rounded-sm bg-warning-soft px-1.5 text-xs font-medium text-warning",
            title.isLeft ? "right-0" : "left-0",
          )}
          style={{ maxWidth: title.width }}
        >
          {shownLine(bar.decision.title)}
        </span>
      )}
      {bar.conflicts.map(({ row, worker, y }) => (
        <DecisionConflict key={row} waits={waits} worker={worker} top={y - top} isLeft={isLeft} />
      ))}
    </div>
  );
});

interface DecisionConflictProps {
  readonly waits: boolean;
  /** Who has the lane; null: no worker any more. */
  readonly worker: string | null;
  /** px below the upper end of the bar. */
  readonly top: number;
  /** Whether words have their room on the left of the bar. */
  readonly isLeft: boolean;
}

/**
 * Where a decision meets a lane that was built otherwise: before it is in force, while it hurts, and afterwards.
 */
function DecisionConflict({ waits, worker, top, isLeft }: DecisionConflictProps) {
  const view = useHost(({ run }) => run?.workers.find(({ name }) => name === worker) ?? null);
  const change = useChangeOfWorker(view?.changeId ?? null);
  if (waits) return <Sign label="would conflict here" top={top} />;
  if (view === null || view.conflict !== "mutation") return <Settled top={top} />;
  const changeId = view.changeId;
  const isInConflict = change?.conflict === true;
  return (
    <>
      <Sign label="conflicts here" top={top} />
      <ConflictButton
        label={`correcting: ${view.name} adapts its work to the decision${isInConflict ? ". Show the sides" : ""}`}
        data-decision-conflict={view.name}
        disabled={changeId === null}
        onClick={() => {
          if (changeId === null) return;
          if (isInConflict) showConflict(changeId);
          else goToRow(changeId);
        }}
        className={isLeft ? "right-3" : "left-3"}
        style={{ top: top - 9 }}
      >
        correcting
      </ConflictButton>
    </>
  );
}

const round =
  "absolute -left-[9px] flex size-[18px] items-center justify-center rounded-full bg-surface text-xs leading-none";

const Sign = ({ label, top }: { readonly label: string; readonly top: number }) => (
  <span
    role="img"
    aria-label={label}
    title={label}
    className={cx(round, "border-2 border-danger font-bold text-danger")}
    style={{ top: top - 9 }}
  >
    ✕
  </span>
);

const settledText = "conflicted here and was corrected";
const Settled = ({ top }: { readonly top: number }) => (
  <span
    role="img"
    aria-label={settledText}
    title={settledText}
    className={cx(round, "border border-line-strong text-success")}
    style={{ top: top - 9 }}
  >
    ✓
  </span>
);

export const bracketLook = "rounded-r-[3px] border-2 border-l-0 border-dotted border-warning";

interface BracketProps {
  readonly bracket: RadarBracket;
  /** px of the canvas. */
  readonly width: number;
}

/** Lanes whose work would conflict; a click selects the first one. */
export const Bracket = memo(function Bracket({ bracket, width }: BracketProps) {
  const { workers, where } = bracket;
  const words = `${workers.join(workers.length > 2 ? ", " : " and ")} would conflict in ${where}`;
  // One lane that meets another run has no length, and is clicked all the same.
  const height = Math.max(bracket.bottom - bracket.top, 10);
  const top = (bracket.top + bracket.bottom - height) / 2;
  return (
    <button
      type="button"
      tabIndex={-1}
      data-radar={bracket.id}
      title={words}
      onClick={() => inspectWorker(workers[0] ?? "")}
      className="canvas-move absolute z-10 w-2 text-left"
      style={{ left: bracket.x, top, height }}
    >
      <span className="sr-only">{words}</span>
      <span className={cx("absolute inset-0", bracketLook)} />
      {bracket.dots.map((y) => (
        <i
          key={y}
          className="absolute left-0 size-[5px] -translate-x-1/2 -translate-y-1/2 rounded-full bg-warning"
          style={{ top: y - top }}
        />
      ))}
      {bracket.labels.map(({ x, y, other, more }) => (
        <span
          key={y}
          data-radar-label={other}
          aria-hidden
          className="absolute flex -translate-y-1/2 items-center gap-1 rounded-sm bg-surface/90 pr-1 text-xs leading-[18px] whitespace-nowrap text-warning"
          style={{
            left: 8,
            top: y - top,
            maxWidth: Math.max(60, Math.min(280, width - bracket.x - 20)),
          }}
        >
          <i
            className="shrink-0 border-t-2 border-dotted border-warning"
            style={{ width: Math.max(0, x - bracket.x - 8) }}
          />
          <Avatar name={parseAddress(other).agent ?? other} size={14} />
          <span className="min-w-0 truncate">
            {isOfOtherRun(other) && `${other} · `}
            {where}
            {more > 0 && ` · ${more} more`}
          </span>
        </span>
      ))}
    </button>
  );
});
