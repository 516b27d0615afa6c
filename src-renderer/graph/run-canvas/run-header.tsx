/** What stays above the lanes: the columns, the orchestrator's spine, and what is still ahead. */
import { Plus } from "lucide-react";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { TrackMark } from "#shared/domain/timeline/timeline.ts";
import { labelsHeight, spineHeight, spineY } from "#shared/graph/run-canvas/canvas-columns.ts";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { askForTask } from "../../features/plan/plan-actions.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { cx } from "../../kit/class-names.ts";
import { goToRow } from "../../state/go-to.ts";
import { amendablePlan } from "../../state/plan-amendment.ts";
import { useReplay } from "../../state/replay-store.ts";
import { inspect, inspectRun, setView } from "../../state/selection-store.ts";
import { BreakLengths } from "./canvas-breaks.tsx";
import { CardBubble } from "./card-bubble.tsx";
import { inspectWorker } from "./inspect-worker.ts";
import { LabelsAhead } from "./labels-ahead.tsx";
import { stretchLabels, stretchLook } from "./lane-track.tsx";
import { markLabel } from "./mark-texts.ts";
import { orchestratorLine } from "./orchestrator-line.ts";
import { RunAhead, votesText } from "./run-ahead.tsx";
import type { RunOnCanvas } from "./run-canvas-input.ts";
import { SpineSign } from "./spine-sign.tsx";
import type { History } from "./use-history.ts";

interface RunHeaderProps {
  readonly canvas: RunCanvas;
  readonly run: RunOnCanvas;
  /** The number of changes below the run. */
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
      <Labels canvas={canvas} run={run} canAdd={!isReplay && amendablePlan(run) !== null} />
      <div
        className="absolute left-2 flex min-w-0 items-center gap-2"
        style={{ top: spineY - 14, width: columns.margin - 12, height: 28 }}
      >
        <button
          type="button"
          tabIndex={-1}
          data-stop
          disabled={run.onto === null}
          onClick={() => showHistory(run.onto)}
          className="shrink-0 rounded-full border bg-surface px-2 text-xs leading-6 text-muted hover:bg-hover"
          title={`${history.count} changes before the run: see them in the log`}
        >
          {history.count} ▸ {history.name}
        </button>
        {root && (
          <button
            type="button"
            tabIndex={-1}
            data-stop
            onClick={inspectRun}
            title={orchestratorLine(root)}
            className="flex min-w-0 flex-1 items-center gap-1.5 rounded-sm text-left text-xs text-muted"
          >
            <Avatar name={root.name} size={20} />
            <span className="min-w-0 truncate">{orchestratorLine(root)}</span>
          </button>
        )}
      </div>
      <Spine canvas={canvas} run={run} />
      <BreakLengths canvas={canvas} />
      <RunAhead canvas={canvas} run={run} />
      {canvas.bubbles
        .filter(({ row }) => row === null)
        .map((bubble) => (
          <CardBubble key={bubble.card} bubble={bubble} />
        ))}
    </div>
  );
}

/** px in which a phase has room for its number, for its title, and for the button that adds a task to it beside either */
const minWidthForNumber = 10;
const minWidthForTitle = 58;
const minWidthForAddButton = 34;
const addWidth = 24;

interface LabelsProps extends Pick<RunHeaderProps, "canvas" | "run"> {
  /** Whether a task can be added to a phase. */
  readonly canAdd: boolean;
}

function Labels({ canvas: { columns, phases }, run, canAdd }: LabelsProps) {
  const label = "absolute top-1 truncate text-xs text-faint";
  return (
    <div data-canvas-labels className="absolute inset-x-0 top-0" style={{ height: labelsHeight }}>
      <span className={label} style={{ left: 8 }}>
        queue
      </span>
      {phases.map(({ number, title, x, width, isAhead }) => {
        // The sign of now covers the end of the active phase.
        const room = width - (x + width > columns.now - 20 && !isAhead ? 24 : 6);
        return room < minWidthForNumber ? null : (
          <span
            key={number}
            className="absolute top-1 flex items-center gap-1 text-xs text-faint"
            style={{ left: x + 2, maxWidth: room }}
          >
            <span
              title={`phase ${number}: ${shownLine(title)}`}
              className={cx("min-w-0 truncate", isAhead && "opacity-80")}
            >
              {room - (canAdd ? addWidth : 0) < minWidthForTitle
                ? number
                : `phase ${number} · ${shownLine(title)}`}
            </span>
            {canAdd && room > minWidthForAddButton && (
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
        );
      })}
      <LabelsAhead
        columns={columns}
        last={hasLandingAhead(run) ? "land" : null}
        votes={votesText(run)}
        rounds={run.rounds.length}
      />
    </div>
  );
}

interface SpineProps {
  readonly canvas: Pick<RunCanvas, "columns" | "spine">;
  readonly run: RunOnCanvas;
}

/** Interruptions of the run, and its status. */
function RunStatusBadges({ canvas: { columns, spine }, run }: SpineProps) {
  return (
    <>
      {spine.stretches.map((stretch) => (
        <i
          key={stretch.id}
          title={stretchLabels[stretch.kind]}
          data-stretch={stretch.kind}
          className={cx("canvas-move absolute h-[9px]", stretchLook[stretch.kind])}
          style={{ top: spineY - 4, left: stretch.from, width: Math.max(4, stretch.to - stretch.from) }}
        />
      ))}
      {run.paused !== "no" && run.endedAt === null && (
        <span
          className="canvas-move absolute rounded-full bg-sunken px-1.5 text-xs leading-[18px] font-medium text-muted"
          style={{ top: spineY - 9, left: Math.max(columns.margin, columns.now - 58) }}
        >
          paused
        </span>
      )}
      {hasLandingAhead(run) && (
        <i
          className="absolute right-5 border-t-2 border-dotted border-line-strong"
          style={{ top: spineY, left: columns.now }}
        />
      )}
    </>
  );
}

function Spine({ canvas: { columns, spine }, run }: SpineProps) {
  const { contracts } = columns;
  const files = run.plan?.contracts.files.length ?? 0;
  const open = run.base;
  const isWritten = spine.areContractsWritten;
  const words = `contracts: ${counted(files, "file")}${isWritten ? ", written" : ""}`;
  return (
    <>
      <i
        className="canvas-move absolute h-[3px] bg-text"
        style={{
          top: spineY - 1,
          left: columns.margin - 4,
          width: Math.max(1, columns.now - columns.margin + 4),
        }}
      />
      <RunStatusBadges canvas={{ columns, spine }} run={run} />
      {contracts && (
        <button
          type="button"
          tabIndex={-1}
          data-stop
          disabled={open === null}
          onClick={() => open && inspect(open)}
          className={cx(
            "absolute flex flex-col items-center justify-center rounded-md border-2 bg-surface",
            open ? "border-text" : "border-dashed border-line-strong text-muted",
          )}
          title={words}
          style={{ left: contracts.x, width: contracts.width, top: spineY - 17, height: 34 }}
        >
          <span className="sr-only">{words}</span>
          {contracts.width >= minWidthForLabel && (
            <span aria-hidden className="text-xs leading-tight font-medium">
              contracts
            </span>
          )}
          <span aria-hidden className="text-xs leading-tight text-muted">
            {contracts.width >= minWidthForLabel ? counted(files, "file") : files}
            {isWritten ? " ✓" : ""}
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
            data-stop
            aria-label={label}
            title={label}
            onClick={() => openSpineMark(group.marks.at(-1), run)}
            className="canvas-move absolute flex size-6 items-center justify-center"
            style={{ left: group.x - 12, top: spineY - 12 }}
          >
            <SpineSign mark={group.marks.at(-1)} />
          </button>
        );
      })}
    </>
  );
}

/** Of a run that is over nothing is ahead. */
const hasLandingAhead = ({ landed, endedAt }: RunOnCanvas): boolean =>
  endedAt === null && (landed === null || landed.undoneAt != null);

/** px of a box from which a word fits in it. */
const minWidthForLabel = 60;

/** Shows the worker's change, the change of the integration, or the run, by whose event it is. */
function openSpineMark(mark: TrackMark | undefined, run: RunOnCanvas): void {
  if (mark && "worker" in mark) inspectWorker(mark.worker);
  else if (mark?.kind === "integrated" && run.integration) inspect(run.integration);
  else inspectRun();
}

/** Shows the base commit of the run in the log, which lists all changes. */
function showHistory(onto: string | null): void {
  if (onto === null) return;
  setView("log");
  goToRow(onto);
}
