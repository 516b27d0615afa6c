import type { KeyboardEvent } from "react";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import type { PlanPart } from "#shared/graph/plan-layout.ts";
import { keyOfPart, lowestPart, walkPlaces } from "../../features/plan/plan-parts.ts";
import { select, useSelection } from "../../state/selection-store.ts";
import { useGraphKeys } from "../change/use-graph-keys.ts";
import { planKey } from "../plan/use-plan-keys.ts";
import type { CanvasScene } from "./use-canvas-scene.ts";

interface OpenMenus {
  readonly ofRow: (row: FoldedRow) => void;
  readonly ofPart: (part: PlanPart) => void;
}

/** The keys of the graph, and above it those of a plan that is proposed on it. */
export function useCanvasKeys({ planned, proposed }: CanvasScene, openMenu: OpenMenus) {
  const keys = useGraphKeys(openMenu.ofRow);
  return (event: KeyboardEvent): void => {
    if (planned && proposed) {
      const { selected } = useSelection.getState();
      const up = event.key === "ArrowUp" && selected === proposed.on ? lowestPart(planned) : null;
      if (up !== null) {
        event.preventDefault();
        select(keyOfPart(up));
        return;
      }
      const taken = planKey(event, {
        walk: (part, key) => walkPlaces(planned, part, key),
        leave: () => select(proposed.on),
        openMenu: openMenu.ofPart,
      });
      if (taken) return;
    }
    keys.onKeyDown(event);
  };
}
