/** The keys of a plan on its canvas. */
import type { KeyboardEvent } from "react";
import { partsOf, walkPlanCanvas } from "#shared/graph/plan-canvas/walk.ts";
import type { PlanPart } from "#shared/graph/plan-layout.ts";
import { addPlannedTask } from "../../features/plan/plan-actions.ts";
import { keyOfPart, partOfKey } from "../../features/plan/plan-parts.ts";
import { select, useSelection } from "../../state/selection-store.ts";
import { planKey } from "../plan/use-plan-keys.ts";
import type { ShownPlan } from "./use-plan-canvas.ts";

const walks: ReadonlySet<string> = new Set([
  ...["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"],
]);

export function usePlanCanvasKeys({ canvas, draft }: ShownPlan, openMenu: (part: PlanPart) => void) {
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
