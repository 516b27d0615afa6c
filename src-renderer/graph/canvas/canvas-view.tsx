import {
  Background,
  BackgroundVariant,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { Maximize2, Minus, Plus } from "lucide-react";
import type { KeyboardEvent, MouseEvent, PointerEvent } from "react";
import { useCallback, useMemo, useRef, useState } from "react";
import { nodeHeight, nodeWidth } from "#shared/graph/canvas-layout.ts";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import { planLayout } from "#shared/graph/plan-layout.ts";
import { addPlannedTask, planPartMenu } from "../../features/plan/plan-actions.ts";
import { askForTask } from "../../features/plan/plan-amend.ts";
import { keyOfPart, lowestPart, walkPlaces } from "../../features/plan/plan-parts.ts";
import { IconButton } from "../../kit/button.tsx";
import { MenuAt } from "../../kit/menu.tsx";
import type { OpenMenu } from "../../kit/open-menu.ts";
import { useHost } from "../../state/host-store.ts";
import { useRadarLinks } from "../../state/radar.ts";
import { inspect, select, useSelection } from "../../state/selection-store.ts";
import { rowMenu } from "../change/change-menu.tsx";
import { LiveRegion } from "../change/live-region.tsx";
import { useGraphKeys } from "../change/use-graph-keys.ts";
import { canvasOf, foldedRowOfKey, rowKeyOf, toggleFold, useModel } from "../model/graph-model.ts";
import { PlanLinkBanner } from "../plan/plan-link-banner.tsx";
import { useProposedPlan } from "../plan/proposed-plan.ts";
import { usePlanDrag } from "../plan/use-plan-drag.ts";
import { planKey } from "../plan/use-plan-keys.ts";
import { aim, drop, useRebase } from "../rebase/rebase-store.ts";
import { useNodeDrag } from "../rebase/use-node-drag.ts";
import { ChangeEdge } from "./canvas-edge.tsx";
import { flowOf } from "./canvas-elements.ts";
import { BandNode, GhostNode } from "./canvas-ghost.tsx";
import { ChangeNode, FoldNode } from "./canvas-node.tsx";
import { CanvasOverview } from "./canvas-overview.tsx";
import { ClaimEdge, GhostEdge, LinkPreviewLine } from "./canvas-plan-edge.tsx";
import { RadarEdge } from "./canvas-radar.tsx";
import { useWindow } from "./canvas-window.ts";
import type { LiveRun } from "./run-bands.ts";
import { useFollowSelection } from "./use-follow-selection.ts";
import { useHomeView } from "./use-home-view.ts";
import { useZoomLevel } from "./zoom-level.ts";

// One object each for the life of the window: React Flow mounts everything anew when these change.
const nodeTypes = { change: ChangeNode, fold: FoldNode, ghost: GhostNode, band: BandNode };
const edgeTypes = { change: ChangeEdge, radar: RadarEdge, ghost: GhostEdge, claim: ClaimEdge };
const proOptions = { hideAttribution: true };
const none: [] = [];

/** The graph as a map: React Flow near by, a plain canvas when far away. */
export function CanvasView() {
  return (
    <ReactFlowProvider>
      <Canvas />
    </ReactFlowProvider>
  );
}

function Canvas() {
  const model = useModel((state) => state.model);
  const proposed = useProposedPlan();
  const layout = model && canvasOf(model);
  const live = useLiveRun();
  const radar = useRadarLinks();
  const flowed = useMemo(
    () => (layout ? flowOf(layout, { proposed, radar, live }) : { nodes: none, edges: none }),
    [layout, proposed, radar, live],
  );
  const ghosts = useMemo(
    () => flowed.nodes.filter(({ type }) => type === "ghost").map(({ position }) => position),
    [flowed],
  );
  const planned = useMemo(
    () => (proposed ? planLayout(proposed.plan, proposed.onContracts) : null),
    [proposed],
  );
  const { nodes, edges } = useWindow(flowed);
  const level = useZoomLevel();
  const root = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const drag = useNodeDrag();
  const planDrag = usePlanDrag();
  const flow = useReactFlow();
  const selected = useSelection((state) => state.selected);

  const placeOf = useCallback(
    (key: string) =>
      layout?.nodes[model ? foldedRowOfKey(model, key) : -1] ??
      flowed.nodes.find((node) => node.id === key)?.position,
    [layout, model, flowed],
  );

  const keys = useGraphKeys((row) => {
    const place = placeOf(rowKeyOf(row));
    if (place)
      setMenu({
        at: flow.flowToScreenPosition({ x: place.x + 16, y: place.y + nodeHeight }),
        entries: rowMenu(row),
      });
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    if (planned && proposed) {
      const up = event.key === "ArrowUp" && selected === proposed.on ? lowestPart(planned) : null;
      if (up !== null) {
        event.preventDefault();
        select(keyOfPart(up));
        return;
      }
      const taken = planKey(event, {
        walk: (part, key) => walkPlaces(planned, part, key),
        leave: () => select(proposed.on),
        openMenu: (part) => {
          const place = placeOf(keyOfPart(part));
          if (place)
            setMenu({
              at: flow.flowToScreenPosition({ x: place.x + 16, y: place.y + nodeHeight }),
              entries: planPartMenu(part),
            });
        },
      });
      if (taken) return;
    }
    keys.onKeyDown(event);
  };

  useFollowSelection(selected, placeOf);
  const onMoveStart = useHomeView(flowed.nodes, selected, proposed?.on ?? null);

  const rowAt = (event: MouseEvent): FoldedRow | null => {
    const element =
      event.target instanceof Element ? event.target.closest<HTMLElement>("[data-row-key]") : null;
    const key = element?.dataset.rowKey;
    if (key) return model?.folded.rows[foldedRowOfKey(model, key)] ?? null;
    if (level !== "far" || !layout) return null;
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const hit = layout.nodes.find(
      ({ x, y }) => at.x >= x && at.x <= x + nodeWidth && at.y >= y && at.y <= y + nodeHeight,
    );
    return hit?.row ?? null;
  };

  const click = (event: MouseEvent): void => {
    if (event.target instanceof Element && event.target.closest("button, [role=menu]")) return;
    root.current?.focus({ preventScroll: true });
    const part = partAt(event);
    if (part !== null) {
      if (!planDrag.wasDrag()) inspect(keyOfPart(part));
      return;
    }
    const row = rowAt(event);
    if (!row || drag.wasDrag()) return;
    const key = rowKeyOf(row);
    if (useRebase.getState().by === "keyboard") {
      aim(row.kind === "change" ? key : null);
      drop();
    } else {
      select(key);
      if (row.kind === "fold") toggleFold(row.fold);
    }
  };

  return (
    <div
      ref={root}
      role="tree"
      aria-label="Graph"
      aria-activedescendant={selected ? `node-${selected}` : undefined}
      tabIndex={0}
      className="relative size-full outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--accent)]"
      onKeyDown={onKeyDown}
      onClick={click}
      onDoubleClick={(event) => {
        const band = closest(event, "[data-phase-band]")?.dataset.phaseBand;
        if (band !== undefined && closest(event, "button") === null) {
          if (proposed) addPlannedTask(Number(band));
          else askForTask(Number(band));
          return;
        }
        const row = rowAt(event);
        if (row?.kind === "change") inspect(rowKeyOf(row));
      }}
      onContextMenu={(event) => {
        const part = partAt(event);
        if (part !== null) {
          event.preventDefault();
          select(keyOfPart(part));
          setMenu({ at: { x: event.clientX, y: event.clientY }, entries: planPartMenu(part) });
          return;
        }
        const row = rowAt(event);
        if (!row) return;
        event.preventDefault();
        select(rowKeyOf(row));
        setMenu({ at: { x: event.clientX, y: event.clientY }, entries: rowMenu(row) });
      }}
      {...both(drag.handlers, planDrag.handlers)}
    >
      {layout && level === "far" && <CanvasOverview layout={layout} radar={radar} ghosts={ghosts} />}
      <ReactFlow
        nodes={level === "far" ? none : nodes}
        edges={level === "far" ? none : edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        panActivationKeyCode={null}
        zoomActivationKeyCode={null}
        panOnScroll
        zoomOnDoubleClick={false}
        minZoom={0.04}
        maxZoom={1.6}
        onMoveStart={onMoveStart}
        proOptions={proOptions}
      >
        {level !== "far" && (
          <Background variant={BackgroundVariant.Dots} gap={24} size={1} color="var(--line)" />
        )}
        <Panel position="bottom-right">
          <ZoomButtons />
        </Panel>
      </ReactFlow>
      <LinkPreviewLine placeOf={placeOf} />
      <PlanLinkBanner />
      <MenuAt at={menu?.at ?? null} entries={menu?.entries ?? []} onClose={() => setMenu(null)} />
      <LiveRegion />
    </div>
  );
}

const closest = (event: MouseEvent, selector: string): HTMLElement | null =>
  event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null;

const partAt = (event: MouseEvent): string | null =>
  closest(event, "[data-plan-part]")?.dataset.planPart ?? null;

type Handlers = ReturnType<typeof useNodeDrag>["handlers"];

/** Two kinds of things can be dragged here; each looks for its own. */
function both(one: Handlers, other: Handlers): Handlers {
  const names = ["onPointerDown", "onPointerMove", "onPointerUp", "onPointerCancel"] as const;
  return Object.fromEntries(
    names.map((name) => [
      name,
      (event: PointerEvent<HTMLElement>) => {
        one[name](event);
        other[name](event);
      },
    ]),
  ) as unknown as Handlers;
}

/** The run whose phases are drawn as bands: one with an approved plan that goes on. */
function useLiveRun(): LiveRun | null {
  const run = useHost((state) =>
    state.run && state.run.endedAt === null && state.run.planApproved ? state.run.id : null,
  );
  const phases = useHost((state) => state.run?.plan?.phases ?? null);
  return useMemo(() => (run === null || phases === null ? null : { id: run, phases }), [run, phases]);
}

function ZoomButtons() {
  const flow = useReactFlow();
  return (
    <div className="flex rounded-md border bg-raised">
      <IconButton label="Smaller" icon={<Minus size={14} />} onClick={() => void flow.zoomOut()} />
      <IconButton label="Larger" icon={<Plus size={14} />} onClick={() => void flow.zoomIn()} />
      <IconButton
        label="Show everything"
        icon={<Maximize2 size={13} />}
        onClick={() => {
          const { model } = useModel.getState();
          if (!model) return;
          const { width, height, top } = canvasOf(model);
          void flow.fitBounds({ x: 0, y: top, width, height }, { padding: 0.08 });
        }}
      />
    </div>
  );
}
