/** A run before its plan is approved: the lanes, phases and end that it will have, to be changed in place. */
import { type MouseEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { RunView } from "#shared/contract/views/run.ts";
import type { PlanCanvas } from "#shared/graph/plan-canvas/plan-canvas.ts";
import type { PlanPart } from "#shared/graph/plan-layout.ts";
import { addPlannedTask, planPartMenu } from "../../features/plan/plan-actions.ts";
import { keyOfPart, partOfKey } from "../../features/plan/plan-parts.ts";
import { MenuAt } from "../../kit/menu.tsx";
import type { OpenMenu } from "../../kit/open-menu.ts";
import { closest } from "../../kit/use-pointer-drag.ts";
import { inspect, select, useSelection } from "../../state/selection-store.ts";
import { PlanLinkBanner } from "../plan/plan-link-banner.tsx";
import { usePlanDrag } from "../plan/use-plan-drag.ts";
import { useCanvasZoom, useRoom, zoomStyle } from "../run-canvas/use-room.ts";
import { PhaseColumns } from "./phase-columns.tsx";
import { PlanCanvasHeader } from "./plan-canvas-header.tsx";
import { ClaimBrackets, PlanWaits } from "./plan-canvas-lines.tsx";
import { PlanCanvasList } from "./plan-canvas-list.tsx";
import { PlannedLane } from "./planned-lane.tsx";
import { PlanningNow } from "./planning-now.tsx";
import { type ShownPlan, usePlanCanvas } from "./use-plan-canvas.ts";
import { usePlanCanvasKeys } from "./use-plan-canvas-keys.ts";
import { useScrollWhileDragged } from "./use-scroll-while-dragged.ts";

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
          {/* Its edge would go through the words that stand here until there are tasks. */}
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
        <PlanWaits canvas={canvas} draft={draft} />
        <ClaimBrackets canvas={canvas} draft={draft} />
      </div>
    </div>
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

/** What is selected comes into sight; nothing else moves what a person looks at. */
function useFollowSelection(panel: RefObject<HTMLElement | null>, isDrawn: boolean): void {
  const selected = useSelection((state) => state.selected);
  useEffect(() => {
    const part = partOfKey(selected);
    if (part !== null && isDrawn) elementOf(panel, part)?.scrollIntoView({ block: "nearest" });
  }, [panel, selected, isDrawn]);
}
