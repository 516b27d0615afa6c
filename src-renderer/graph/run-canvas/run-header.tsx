/** What stays above the lanes: the columns, the orchestrator's spine, and what is still ahead. */
import { Plus } from "lucide-react";
import type { RunView } from "#shared/contract/views/run.ts";
import type { SeatView } from "#shared/contract/views/validation.ts";
import { basisWords, leftWords, roughTime } from "#shared/domain/forecast/forecast-words.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { labelsHeight, spineHeight, spineY } from "#shared/graph/run-canvas/canvas-columns.ts";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { orchestratorLine } from "../../features/inspector/orchestrator-line.ts";
import { askForTask } from "../../features/plan/plan-amend.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { cx } from "../../kit/class-names.ts";
import { goToRow } from "../../state/go-to.ts";
import { amendablePlan } from "../../state/plan-amendment.ts";
import { useReplay } from "../../state/replay-store.ts";
import { inspectRun } from "../../state/selection-store.ts";
import { markLabel } from "./mark-words.ts";
import type { History } from "./use-history.ts";

interface RunHeaderProps {
  readonly canvas: RunCanvas;
  readonly run: RunView;
  /** How many changes stand below the run. */
  readonly history: History;
  /** Whether rows are scrolled below it. */
  readonly isOverRows: boolean;
}

export function RunHeader({ canvas, run, history, isOverRows }: RunHeaderProps) {
  const { columns } = canvas;
  const isReplay = useReplay(({ view }) => view !== null);
  const root = run.orchestrators.find(({ parent }) => parent === null);
  return (
    <div
      className={cx("absolute inset-x-0 top-0 z-10 border-b", isOverRows && "bg-surface")}
      style={{ height: labelsHeight + spineHeight }}
    >
      <Labels canvas={canvas} canAdd={!isReplay && amendablePlan(run) !== null} />
      <div
        className="absolute left-2 flex min-w-0 items-center gap-2"
        style={{ top: spineY - 14, width: columns.margin - 12, height: 28 }}
      >
        <span
          className="shrink-0 rounded-full border bg-surface px-2 text-xs leading-6 text-muted"
          title={`${history.count} changes before the run`}
        >
          {history.count} ▸ {history.name}
        </span>
        {root && (
          <button
            type="button"
            tabIndex={-1}
            onClick={inspectRun}
            className="flex min-w-0 flex-1 items-center gap-1.5 rounded-sm text-left text-xs text-muted"
          >
            <Avatar name={root.name} size={20} />
            <span className="min-w-0 truncate">{orchestratorLine(root)}</span>
          </button>
        )}
      </div>
      <Spine canvas={canvas} run={run} />
      <Ahead canvas={canvas} run={run} />
    </div>
  );
}

interface LabelsProps extends Pick<RunHeaderProps, "canvas"> {
  /** Whether a task can be added to a phase. */
  readonly canAdd: boolean;
}

function Labels({ canvas: { columns, phases }, canAdd }: LabelsProps) {
  const label = "absolute top-1 truncate text-xs text-faint";
  return (
    <div className="absolute inset-x-0 top-0" style={{ height: labelsHeight }}>
      <span className={label} style={{ left: 8 }}>
        queue
      </span>
      {columns.contracts && (
        <span className={label} style={{ left: columns.contracts.x }}>
          contracts
        </span>
      )}
      {phases.map(({ number, title, x, width, isAhead }) =>
        width < 20 ? null : (
          <span
            key={number}
            className="absolute top-1 flex items-center gap-1 text-xs text-faint"
            style={{ left: x + 2, maxWidth: width - 6 }}
          >
            <span
              title={`phase ${number}: ${shownLine(title)}`}
              className={cx("min-w-0 truncate", isAhead && "opacity-80")}
            >
              {width < 64 ? number : `phase ${number} · ${shownLine(title)}`}
            </span>
            {canAdd && width > 40 && (
              <button
                type="button"
                tabIndex={-1}
                aria-label={`Add a task to phase ${number}`}
                title={`Add a task to phase ${number}`}
                onClick={() => askForTask(number)}
                className="-my-0.5 flex size-5 shrink-0 items-center justify-center rounded-sm hover:bg-hover hover:text-text"
              >
                <Plus size={12} aria-hidden />
              </button>
            )}
          </span>
        ),
      )}
      {columns.integrate && (
        <span className={label} style={{ left: columns.integrate.x, transform: "translateX(-50%)" }}>
          integrate
        </span>
      )}
      {columns.seats[0] && (
        <span
          className={label}
          style={{
            left: columns.seats.reduce((sum, { x }) => sum + x, 0) / columns.seats.length,
            transform: "translateX(-50%)",
          }}
        >
          validate
        </span>
      )}
      <span className={label} style={{ right: 4 }}>
        land
      </span>
    </div>
  );
}

function Spine({ canvas: { columns, spine }, run }: Pick<RunHeaderProps, "canvas" | "run">) {
  const { contracts } = columns;
  const files = run.plan?.contracts.files.length ?? 0;
  const open = run.base;
  return (
    <>
      <i
        className="canvas-move absolute left-0 h-[3px] w-px origin-left bg-text"
        style={{
          top: spineY - 1,
          transform: `translateX(${columns.margin - 4}px) scaleX(${Math.max(1, columns.now - columns.margin + 4)})`,
        }}
      />
      <i
        className="absolute border-t-2 border-dotted border-line-strong"
        style={{ top: spineY, left: columns.now, right: 20 }}
      />
      {contracts && (
        <button
          type="button"
          tabIndex={-1}
          disabled={open === null}
          onClick={() => open && goToRow(open)}
          className={cx(
            "absolute flex flex-col items-center justify-center rounded-md border-2 bg-surface",
            open ? "border-accent" : "border-dashed border-line-strong text-muted",
          )}
          style={{ left: contracts.x, width: contracts.width, top: spineY - 17, height: 34 }}
        >
          <span className="text-xs leading-tight font-medium">contracts</span>
          <span className="text-xs leading-tight text-muted">
            {files} {files === 1 ? "file" : "files"}
            {open ? " ✓" : ""}
          </span>
        </button>
      )}
      {spine.marks.map((group) => {
        const label = group.marks.map(markLabel).join(", ");
        return (
          <button
            key={group.id}
            type="button"
            tabIndex={-1}
            data-mark={group.id}
            aria-label={label}
            title={label}
            onClick={inspectRun}
            className="canvas-move absolute left-0 flex size-6 items-center justify-center"
            style={{ transform: `translate(${group.x - 12}px, ${spineY - 12}px)` }}
          >
            <i className="size-[10px] rounded-full border-2 border-text bg-surface" />
          </button>
        );
      })}
    </>
  );
}

/** Integration, votes and landing: empty until they come, and there from the beginning on. */
function Ahead({ canvas: { columns }, run }: Pick<RunHeaderProps, "canvas" | "run">) {
  const { integrate, seats, land } = columns;
  const isIntegrated = run.integration !== null && run.stage !== "integrating" && run.stage !== "executing";
  const votes = run.validation?.seats ?? [];
  const { integration } = run;
  return (
    <>
      {integrate && (
        <button
          type="button"
          tabIndex={-1}
          disabled={integration === null}
          onClick={() => integration && goToRow(integration)}
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
        const words = seat ? seatWords(seat) : "an empty seat";
        return (
          <span
            // Seats have their places by number.
            key={`${x} ${y}`}
            role="img"
            aria-label={words}
            title={words}
            data-vote={seat?.vote ?? "empty"}
            className={cx(
              "absolute size-[13px] rounded-full border-2",
              seat ? voteLook[seat.vote] : "border-dashed border-line-strong bg-surface",
            )}
            style={{ left: x - 6.5, top: y - 6.5 }}
          />
        );
      })}
      {run.validation && seats.length > 0 && (
        <span
          className="absolute text-xs text-muted"
          style={{ left: (seats[0]?.x ?? 0) - 12, top: spineY + 14, width: 60 }}
        >
          {votes.filter(({ vote }) => vote === "approve").length} of {run.validation.quorum}
        </span>
      )}
      <Landing x={land} run={run} />
    </>
  );
}

/** Where it ends, and when about. */
function Landing({ x, run }: { readonly x: number; readonly run: RunView }) {
  const left = run.forecast?.left ?? null;
  return (
    <>
      {left && !run.landed && (
        <span
          data-ahead-forecast
          className="absolute text-xs whitespace-nowrap text-faint tabular-nums"
          style={{ right: 4, top: spineY + 14 }}
          title={`${leftWords(left)}. ${basisWords(left)}`}
        >
          ≈ {roughTime(left.milliseconds.middle)}
        </span>
      )}
      <span
        role="img"
        aria-label={run.landed ? "landed" : "not landed yet"}
        title={run.landed ? "landed" : "not landed yet"}
        className={cx(
          "absolute size-4 rounded-full border-2",
          run.landed ? "border-success bg-success" : "border-dashed border-line-strong bg-surface",
        )}
        style={{ left: x - 8, top: spineY - 8 }}
      />
    </>
  );
}

const seatWords = ({ seat, evidence, vote, reason }: SeatView): string =>
  `${seat}, ${evidence}: ${vote}${reason === "" ? "" : `. ${shownLine(reason)}`}`;

const voteLook = {
  pending: "breathe border-progress bg-surface",
  approve: "border-success bg-success",
  reject: "border-danger bg-danger",
  abstain: "border-faint bg-faint",
  error: "border-danger bg-surface",
  "timed-out": "border-warning bg-surface",
  void: "border-faint bg-surface",
} as const;
