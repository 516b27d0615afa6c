/** What stays above the planned lanes: history, contracts, the phases by name, and how the run will end. */
import { ChevronRight, GitMerge, Plus } from "lucide-react";
import type { RunView } from "#shared/contract/views/run.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { PlanCanvas } from "#shared/graph/plan-canvas/plan-canvas.ts";
import { contractsPart, integrationPart } from "#shared/graph/plan-layout.ts";
import { labelsHeight, spineHeight, spineY } from "#shared/graph/run-canvas/canvas-columns.ts";
import { addPlannedTask, keyOfPart } from "../../features/plan/plan-actions.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { cx } from "../../kit/class-names.ts";
import { useLinkOn, usePlanLink } from "../../state/plan-link-store.ts";
import { useSelection } from "../../state/selection-store.ts";
import { LabelsAhead } from "../run-canvas/labels-ahead.tsx";
import { orchestratorLine } from "../run-canvas/orchestrator-line.ts";
import { useHistory } from "../run-canvas/use-history.ts";
import type { ShownPlan } from "./use-plan-canvas.ts";

interface HeaderProps {
  readonly shown: ShownPlan;
  readonly canvas: PlanCanvas;
  readonly run: RunView;
}

export function PlanCanvasHeader({ shown, canvas, run }: HeaderProps) {
  const { columns } = canvas;
  const { author, plan, draft } = shown;
  const history = useHistory(run.onto, null);
  const isRoot = author?.parent == null;
  return (
    <div className="absolute inset-x-0 top-0 z-10 border-b" style={{ height: labelsHeight + spineHeight }}>
      <Labels canvas={canvas} isRoot={isRoot} />
      <div
        className="absolute left-2 flex min-w-0 items-center gap-2"
        style={{ top: spineY - 14, width: columns.margin - 12, height: 28 }}
      >
        {isRoot && (
          <span
            className="shrink-0 rounded-full border bg-surface px-2 text-xs leading-6 text-muted"
            title={`${history.count} changes before the run`}
          >
            {history.count} ▸ {history.name}
          </span>
        )}
        {author && (
          <span className="flex min-w-0 flex-1 items-center gap-1.5 text-xs text-muted">
            <Avatar name={author.name} size={20} />
            <span className="min-w-0 truncate">{orchestratorLine(author)}</span>
          </span>
        )}
      </div>
      <i
        className="absolute border-t-2 border-dotted border-line-strong"
        style={{ top: spineY, left: columns.margin - 4, right: 20 }}
      />
      {columns.contracts && (
        <PartOfSpine
          part={draft ? contractsPart : null}
          tip={`${shownLine(plan.contracts.title) || "Contracts"}. Shared by all tasks and written first; every task inherits it`}
          left={columns.contracts.x}
          width={columns.contracts.width}
          top={spineY - 17}
          height={34}
        >
          {columns.contracts.width >= minWidthForLabel && (
            <span className="leading-tight font-medium">contracts</span>
          )}
          {draft && (
            <span className="leading-tight">
              {columns.contracts.width >= minWidthForLabel
                ? counted(plan.contracts.files.length, "file")
                : plan.contracts.files.length}
            </span>
          )}
        </PartOfSpine>
      )}
      {columns.integrate && (
        <PartOfSpine
          part={draft ? integrationPart : null}
          tip={`${shownLine(plan.integration?.title ?? "") || "Integration"}. Combines all work in one change, without conflicts`}
          left={columns.integrate.x - columns.integrate.width / 2}
          width={columns.integrate.width}
          top={spineY - 14}
          height={28}
        >
          {columns.integrate.width < minWidthForLabel - 10 ? <GitMerge size={14} /> : "integrate"}
        </PartOfSpine>
      )}
      {columns.seats.map(({ x, y }) => (
        <i
          key={`${x} ${y}`}
          title="A validator that will vote on the result"
          className="absolute size-[13px] rounded-full border-2 border-dashed border-line-strong bg-surface"
          style={{ left: x - 6.5, top: y - 6.5 }}
        />
      ))}
      <i
        title={isRoot ? "Landing: needs your approval" : "Merged into the work of the whole run"}
        className="absolute size-4 rounded-full border-2 border-dashed border-line-strong bg-surface"
        style={{ left: columns.land - 8, top: spineY - 8 }}
      />
    </div>
  );
}

interface PartOfSpineProps {
  /** Null while there is nothing to be changed yet. */
  readonly part: string | null;
  readonly tip: string;
  readonly left: number;
  readonly width: number;
  readonly top: number;
  readonly height: number;
  readonly children: React.ReactNode;
}

function PartOfSpine({ part, tip, children, ...place }: PartOfSpineProps) {
  const isSelected = useSelection((state) => part !== null && state.selected === keyOfPart(part));
  const isTarget = useLinkOn(part ?? "") === "target";
  return (
    <div
      aria-hidden
      {...(part === null ? {} : { "data-plan-part": part })}
      title={tip}
      className={cx(
        "absolute flex flex-col items-center justify-center rounded-md border-2 border-dashed bg-surface text-xs text-muted",
        part === null ? "border-line-strong" : "border-accent",
        (isSelected || isTarget) && "outline-2 outline-offset-1 outline-accent",
      )}
      style={place}
    >
      {children}
    </div>
  );
}

/** px of a box from which a word fits in it. */
const minWidthForLabel = 60;

/** px of a column from which its name, and its button, have room. */
const roomForTitle = 64;
const roomForPhase = 140;
const roomForButton = 34;

/** @param title null if it is shown at its lanes */
function phaseLabel(number: number, title: string | null, width: number): string {
  if (width < roomForTitle) return String(number);
  if (title === null) return `phase ${number}`;
  return `${width < roomForPhase ? "" : "phase "}${number} · ${title}`;
}

function Labels({
  canvas: { columns, phases },
  isRoot,
}: Pick<HeaderProps, "canvas"> & { readonly isRoot: boolean }) {
  const aimed = usePlanLink(({ target }) => (target?.kind === "phase" ? target.phase : null));
  const label = "absolute top-1 truncate text-xs text-faint";
  return (
    <>
      <span className={label} style={{ left: 8 }}>
        {isRoot ? "queue" : "tasks of the part"}
      </span>
      {phases.map(({ number, title, x, width, band, waitsForPhase }) => (
        <div
          key={number}
          data-phase-band={number}
          className={cx("absolute top-0 border-l", aimed === number && "border-accent bg-accent-soft")}
          style={{ left: x, width, height: labelsHeight + spineHeight }}
        >
          {waitsForPhase && (
            <span
              data-phase-edge={number}
              title={`Phase ${number} starts when the previous phase is done`}
              className="absolute z-10 flex size-[18px] items-center justify-center rounded-full border border-accent bg-surface text-accent-text"
              style={{ left: -9.5, top: spineY - 8 }}
            >
              <ChevronRight size={12} />
            </span>
          )}
          <span className="absolute top-1 flex max-w-full items-center gap-0.5 pl-1 text-xs text-muted">
            <span title={`Phase ${number}: ${shownLine(title)}`} className="min-w-0 truncate">
              {phaseLabel(number, band ? null : shownLine(title), width)}
            </span>
            {width >= roomForButton && (
              <button
                type="button"
                tabIndex={-1}
                aria-label={`Add a task to phase ${number}`}
                title={`Add a task to phase ${number}`}
                onClick={() => addPlannedTask(number)}
                className="-my-0.5 flex size-5 shrink-0 items-center justify-center rounded-sm hover:bg-hover hover:text-text"
              >
                <Plus size={12} />
              </button>
            )}
          </span>
        </div>
      ))}
      <LabelsAhead columns={columns} last={isRoot ? "land" : "done"} />
    </>
  );
}
