/** What stands on the canvas, and where. */
import { useCallback, useMemo } from "react";
import type { CanvasLayout } from "#shared/graph/canvas-layout.ts";
import { type PlanLayout, planLayout } from "#shared/graph/plan-layout.ts";
import { useHost } from "../../state/host-store.ts";
import { type RadarLink, useRadarLinks } from "../../state/radar.ts";
import { canvasOf, foldedRowOfKey, type GraphModel, useModel } from "../model/graph-model.ts";
import { type ProposedPlan, useProposedPlan } from "../plan/proposed-plan.ts";
import { type FlowEdge, type FlowNode, flowOf } from "./canvas-elements.ts";
import type { LiveRun } from "./run-bands.ts";

interface Place {
  readonly x: number;
  readonly y: number;
}

export interface CanvasScene {
  readonly model: GraphModel | null;
  readonly layout: CanvasLayout | null;
  readonly proposed: ProposedPlan | null;
  /** The proposed plan with the places of its parts. */
  readonly planned: PlanLayout | null;
  readonly radar: readonly RadarLink[];
  readonly flowed: { readonly nodes: FlowNode[]; readonly edges: FlowEdge[] };
  /** Upper left corners of what is only proposed. */
  readonly ghosts: readonly Place[];
  /** The upper left corner of what a key names. */
  readonly placeOf: (key: string) => Place | undefined;
}

const nothing: CanvasScene["flowed"] = { nodes: [], edges: [] };

export function useCanvasScene(): CanvasScene {
  const model = useModel((state) => state.model);
  const proposed = useProposedPlan();
  const layout = model && canvasOf(model);
  const live = useLiveRun();
  const radar = useRadarLinks();
  const flowed = useMemo(
    () => (layout ? flowOf(layout, { proposed, radar, live }) : nothing),
    [layout, proposed, radar, live],
  );
  const ghosts = useMemo(
    () => flowed.nodes.filter(({ type }) => type === "ghost").map(({ position }) => position),
    [flowed],
  );
  const planned = useMemo(
    () => (proposed ? planLayout(proposed.plan, proposed.isOnContracts) : null),
    [proposed],
  );
  const placeOf = useCallback(
    (key: string) =>
      layout?.nodes[model ? foldedRowOfKey(model, key) : -1] ??
      flowed.nodes.find((node) => node.id === key)?.position,
    [layout, model, flowed],
  );
  return { model, layout, proposed, planned, radar, flowed, ghosts, placeOf };
}

/** The run whose phases are drawn as bands: one with an approved plan that goes on. */
function useLiveRun(): LiveRun | null {
  const run = useHost((state) =>
    state.run && state.run.endedAt === null && state.run.planApproved ? state.run.id : null,
  );
  const phases = useHost((state) => state.run?.plan?.phases ?? null);
  return useMemo(() => (run === null || phases === null ? null : { id: run, phases }), [run, phases]);
}
