/** A run before its plan is approved: the lanes, phases and end that it will have, to be changed in place. */
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { OrchestratorView, RunView } from "#shared/contract/views/run.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { type PlanCanvas, partsOf, walkPlanCanvas } from "#shared/graph/plan-canvas/plan-canvas.ts";
import type { PlanPart } from "#shared/graph/plan-layout.ts";
import { addPlannedTask, keyOfPart, partOfKey, planPartMenu } from "../../features/plan/plan-actions.ts";
import { runLine } from "../../features/run/stages.ts";
import { cx } from "../../kit/class-names.ts";
import { MenuAt, type OpenMenu } from "../../kit/menu.tsx";
import { closest } from "../../kit/use-pointer-drag.ts";
import { useHost } from "../../state/host-store.ts";
import { usePlanLink } from "../../state/plan-link-store.ts";
import { inspect, select, useSelection } from "../../state/selection-store.ts";
import { PlanLinkBanner } from "../plan/plan-link-banner.tsx";
import { usePlanDrag } from "../plan/use-plan-drag.ts";
import { planKey } from "../plan/use-plan-keys.ts";
import { useCanvasZoom, useRoom, zoomStyle } from "../run-canvas/use-room.ts";
import { lastSentence } from "../run-canvas/waits-for.ts";
import { PlanCanvasHeader } from "./plan-canvas-header.tsx";
import { ClaimBrackets, PlanWaits } from "./plan-canvas-lines.tsx";
import { PlanCanvasList } from "./plan-canvas-list.tsx";
import { PlannedLane } from "./planned-lane.tsx";
import { type ShownPlan, usePlanCanvas } from "./use-plan-canvas.ts";

export function PlanCanvasView({ run }: { readonly run: RunView }) {
  const panel = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const shown = usePlanCanvas(useRoom(panel));
  const zoom = useCanvasZoom();
  const drag = usePlanDrag();
  const { menu, openMenu, close } = usePartMenu(panel);
  const onKeyDown = usePlanCanvasKeys(shown, openMenu);
  const { canvas, draft } = shown;
  useFollowSelection(panel, canvas !== null);
  useScrollWhileDragged(rows);

  const onClick = (event: MouseEvent): void => {
    if (closest(targetOf(event), "button, [role=menu]")) return;
    list.current?.focus({ preventScroll: true });
    const part = partAt(event);
    if (part !== null && !drag.wasDrag()) inspect(keyOfPart(part));
  };
  const onDoubleClick = (event: MouseEvent): void => {
    const phase = closest(targetOf(event), "[data-phase-band]")?.dataset.phaseBand;
    if (phase !== undefined && partAt(event) === null) addPlannedTask(Number(phase));
  };
  const onContextMenu = (event: MouseEvent): void => {
    const part = partAt(event);
    if (part === null) return;
    event.preventDefault();
    select(keyOfPart(part));
    openMenu(part, { x: event.clientX, y: event.clientY });
  };

  return (
    <div
      ref={panel}
      className="relative size-full overflow-hidden select-none"
      style={zoomStyle(zoom)}
      {...{ onClick, onDoubleClick, onContextMenu }}
      {...drag.handlers}
    >
      <PlanCanvasList shown={shown} list={list} onKeyDown={onKeyDown} />
      {canvas && (
        <>
          {/* Without tasks its edge would cross the text shown here. */}
          {draft !== null && (
            <div
              className="pointer-events-none absolute inset-y-0 right-0 bg-canvas"
              style={{ left: canvas.phases[0]?.x ?? canvas.columns.start }}
            />
          )}
          <PlanCanvasHeader shown={shown} canvas={canvas} run={run} />
          <Lanes shown={shown} canvas={canvas} box={rows} />
        </>
      )}
      {draft === null && canvas && <PlanningNow author={shown.author} top={canvas.rowsTop} />}
      <PlanLinkBanner />
      <MenuAt at={menu?.at ?? null} entries={menu?.entries ?? []} onClose={close} />
    </div>
  );
}

/** In the place of a plan while it is written: what comes, and what the orchestrator said last. */
function PlanningNow({
  author,
  top,
}: {
  readonly author: OrchestratorView | null;
  /** Top limit in px. */
  readonly top: number;
}) {
  const latest = useHost((state) => {
    const worker = state.run?.workers.find(({ name }) => name === author?.name);
    return lastSentence(worker?.latestText ?? "");
  });
  // It is written only while nothing holds that up: not while the first look waits for an answer, or the provider is away.
  const line = useHost(({ run, inbox }) => (run ? runLine(run, inbox) : ""));
  const isWritten = line === "" || line === "Planning";
  return (
    <div
      className="pointer-events-none absolute inset-x-0 bottom-0 flex flex-col items-center justify-center gap-1.5 px-6 text-center"
      style={{ top }}
    >
      <p className="font-medium">{isWritten ? "The plan is being written" : line}</p>
      {isWritten && (
        <p className="max-w-96 text-pretty text-muted">
          The proposed tasks will appear here, one per lane, for you to edit and approve.
        </p>
      )}
      {latest !== "" && (
        <p className="mt-1 line-clamp-3 max-w-96 text-sm text-pretty text-muted italic" data-planning-words>
          “{shownLine(latest)}”
        </p>
      )}
    </div>
  );
}

const walks: ReadonlySet<string> = new Set([
  ...["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"],
]);

/** The keys of a plan on its canvas. */
function usePlanCanvasKeys({ canvas, draft }: ShownPlan, openMenu: (part: PlanPart) => void) {
  return (event: KeyboardEvent): void => {
    if (!canvas || !draft) return;
    const isNothingChosen = partOfKey(useSelection.getState().selected) === null;
    const first = canvas.rows[0]?.part ?? partsOf(canvas)[0];
    if (isNothingChosen && walks.has(event.key) && first !== undefined) select(keyOfPart(first));
    else if (isNothingChosen && event.key === "n") addPlannedTask();
    else {
      planKey(event, {
        walk: (part, key) => walkPlanCanvas(canvas, part, key),
        leave: () => undefined,
        openMenu,
      });
      return;
    }
    event.preventDefault();
  };
}

/** px from an edge in which it is scrolled, and by how much in a frame. */
const edge = 28;
const most = 12;

/** A task that is dragged to the upper or lower edge brings further lanes into sight. */
function useScrollWhileDragged(box: RefObject<HTMLElement | null>): void {
  const isDragged = usePlanLink(({ by }) => by === "pointer");
  useEffect(() => {
    if (!isDragged) return;
    let frame = 0;
    const step = (): void => {
      const element = box.current;
      if (element) {
        const { top, bottom } = element.getBoundingClientRect();
        const { y } = usePlanLink.getState().point;
        const above = Math.max(0, top + edge - y);
        const below = Math.max(0, y - (bottom - edge));
        if (above > 0 && y > top - edge) element.scrollTop -= Math.min(most, above);
        else if (below > 0) element.scrollTop += Math.min(most, below);
      }
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [box, isDragged]);
}

interface LanesProps {
  readonly shown: ShownPlan;
  readonly canvas: PlanCanvas;
  readonly box: RefObject<HTMLDivElement | null>;
}

/** Where there are more than fit, they are scrolled below what stays. */
function Lanes({ shown: { plan, draft, worst }, canvas, box }: LanesProps) {
  return (
    <div
      ref={box}
      data-plan-rows
      className="absolute inset-x-0 bottom-0 overflow-x-hidden overflow-y-auto"
      style={{ top: canvas.rowsTop }}
    >
      <div
        className="relative min-h-full overflow-hidden"
        style={{ height: canvas.rowsBottom - canvas.rowsTop + belowRows }}
      >
        <PhaseColumns canvas={canvas} />
        {canvas.rows.map((row) => {
          const task = plan.tasks[row.index];
          return (
            task && (
              <PlannedLane
                key={row.id}
                row={row}
                top={row.y - canvas.rowsTop}
                margin={canvas.columns.margin}
                task={task}
                worst={worst.get(task.id) ?? null}
              />
            )
          );
        })}
        <div
          aria-hidden
          className="notice-start pointer-events-none absolute inset-y-0 left-0"
          style={{ width: canvas.columns.margin }}
        />
        <PlanWaits canvas={canvas} draft={draft} />
        <ClaimBrackets canvas={canvas} draft={draft} />
      </div>
    </div>
  );
}

/** px from which a phase and its tasks fit on one line; below that they are stacked. */
const minWidthForDot = 110;

/**
 * The phases behind the lanes: bands with their names, and columns into which a task is dragged, or added by a double click.
 */
function PhaseColumns({ canvas }: { readonly canvas: PlanCanvas }) {
  const { phases, columns, rowsTop } = canvas;
  const aimed = usePlanLink(({ target }) => (target?.kind === "phase" ? target.phase : null));
  const left = columns.margin;
  const width = (phases[0]?.x ?? columns.start) - left;
  return (
    <>
      {phases.map(({ number, x, width: wide }, at) => (
        <div
          key={number}
          data-phase-band={number}
          className={cx(
            "absolute inset-y-0 border-l",
            aimed === number ? "border-accent bg-accent-soft" : at % 2 === 0 ? "bg-sunken/70" : "bg-canvas",
          )}
          style={{ left: x, width: wide }}
        />
      ))}
      {phases.map(
        ({ number, title, band }) =>
          band && (
            <div
              key={number}
              aria-hidden
              data-phase-band={number}
              className={cx(
                "absolute z-[1] border-b px-2 pt-px text-xs",
                aimed === number ? "bg-accent-soft" : "bg-surface",
              )}
              style={{ left, width, top: band.top - rowsTop, height: band.bottom - band.top }}
            >
              <div className="sticky top-0.5 flex max-h-full flex-col overflow-hidden">
                <span className="font-medium text-muted">
                  <span className="whitespace-nowrap">Phase {number}</span>{" "}
                  <span className="font-normal whitespace-nowrap text-faint">
                    {width >= minWidthForDot && "· "}
                    {counted(band.tasks, "task")}
                  </span>
                </span>
                <span dir="auto" className="line-clamp-3 break-words text-muted" title={shownLine(title)}>
                  {shownLine(title)}
                </span>
              </div>
            </div>
          ),
      )}
    </>
  );
}

/** px */
const belowRows = 10;

const targetOf = ({ target }: MouseEvent): Element | null => (target instanceof Element ? target : null);
const partAt = (event: MouseEvent): PlanPart | null =>
  closest(targetOf(event), "[data-plan-part]")?.dataset.planPart ?? null;

const elementOf = (panel: RefObject<HTMLElement | null>, part: PlanPart): HTMLElement | null =>
  panel.current?.querySelector<HTMLElement>(`[data-plan-part="${CSS.escape(part)}"]`) ?? null;

function usePartMenu(panel: RefObject<HTMLElement | null>) {
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const below = (part: PlanPart): OpenMenu["at"] => {
    const box = elementOf(panel, part)?.getBoundingClientRect();
    return { x: (box?.left ?? 0) + 32, y: box?.bottom ?? 0 };
  };
  return {
    menu,
    openMenu: (part: PlanPart, at = below(part)): void => setMenu({ at, entries: planPartMenu(part) }),
    close: () => setMenu(null),
  };
}

/** What is selected comes into sight; nothing else moves what a user looks at. */
function useFollowSelection(panel: RefObject<HTMLElement | null>, isDrawn: boolean): void {
  const selected = useSelection((state) => state.selected);
  useEffect(() => {
    const part = partOfKey(selected);
    if (part !== null && isDrawn) elementOf(panel, part)?.scrollIntoView({ block: "nearest" });
  }, [panel, selected, isDrawn]);
}
