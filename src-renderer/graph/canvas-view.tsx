import {
  Background,
  BackgroundVariant,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { Maximize2, Minus, Plus } from "lucide-react";
import type { MouseEvent } from "react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { nodeHeight, nodeWidth } from "#shared/graph/canvas-layout.ts";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import { IconButton } from "../kit/button.tsx";
import { MenuAt } from "../kit/menu.tsx";
import { useHost } from "../state/host-store.ts";
import { useRadarLinks } from "../state/radar.ts";
import { inspect, select, useSelection } from "../state/selection-store.ts";
import { ChangeEdge } from "./canvas-edge.tsx";
import type { ProposedBase } from "./canvas-elements.ts";
import { flowOf } from "./canvas-elements.ts";
import { ChangeNode, FoldNode, GhostNode } from "./canvas-node.tsx";
import { CanvasOverview } from "./canvas-overview.tsx";
import { RadarEdge } from "./canvas-radar.tsx";
import { useWindow } from "./canvas-window.ts";
import { canvasOf, foldedRowOfKey, rowKeyOf, toggleFold, useModel } from "./graph-model.ts";
import { LiveRegion } from "./live-region.tsx";
import type { OpenMenu } from "./log-view.tsx";
import { menuOf } from "./log-view.tsx";
import { useProposedPlan } from "./plan-ghosts.tsx";
import { aim, drop, useRebase } from "./rebase-store.ts";
import { useGraphKeys } from "./use-graph-keys.ts";
import { useHomeView } from "./use-home-view.ts";
import { useNodeDrag } from "./use-node-drag.ts";
import { useZoomLevel } from "./zoom-level.ts";

// One object each for the life of the window: React Flow mounts everything anew when these change.
const nodeTypes = { change: ChangeNode, fold: FoldNode, ghost: GhostNode };
const edgeTypes = { change: ChangeEdge, radar: RadarEdge };
const proOptions = { hideAttribution: true };
const none: [] = [];
const panMs = 160;

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
  const plan = useProposedPlan();
  const layout = model && canvasOf(model);
  const base = useProposedBase();
  const radar = useRadarLinks();
  const flowed = useMemo(
    () => (layout ? flowOf(layout, plan, base, radar) : { nodes: none, edges: none }),
    [layout, plan, base, radar],
  );
  const { nodes, edges } = useWindow(flowed);
  const level = useZoomLevel();
  const root = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const drag = useNodeDrag();
  const flow = useReactFlow();
  const selected = useSelection((state) => state.selected);

  const placeOf = useCallback(
    (key: string) => layout?.nodes[model ? foldedRowOfKey(model, key) : -1],
    [layout, model],
  );

  const keys = useGraphKeys((row) => {
    const place = placeOf(rowKeyOf(row));
    if (place)
      setMenu({
        at: flow.flowToScreenPosition({ x: place.x + 16, y: place.y + nodeHeight }),
        entries: menuOf(row),
      });
  });

  useFollowSelection(selected, placeOf);
  const onMoveStart = useHomeView(flowed.nodes, selected);

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
    if (event.target instanceof Element && event.target.closest("button")) return;
    root.current?.focus({ preventScroll: true });
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
      onKeyDown={keys.onKeyDown}
      onClick={click}
      onDoubleClick={(event) => {
        const row = rowAt(event);
        if (row?.kind === "change") inspect(rowKeyOf(row));
      }}
      onContextMenu={(event) => {
        const row = rowAt(event);
        if (!row) return;
        event.preventDefault();
        select(rowKeyOf(row));
        setMenu({ at: { x: event.clientX, y: event.clientY }, entries: menuOf(row) });
      }}
      {...drag.handlers}
    >
      {layout && level === "far" && <CanvasOverview layout={layout} />}
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
      <MenuAt at={menu?.at ?? null} entries={menu?.entries ?? []} onClose={() => setMenu(null)} />
      <LiveRegion />
    </div>
  );
}

function useProposedBase(): ProposedBase | null {
  const model = useModel((state) => state.model);
  const base = useHost((state) => state.run?.base ?? null);
  const onto = useHost((state) => state.run?.onto ?? null);
  return useMemo(() => {
    if (!model) return null;
    const key = [base, onto].find((one) => one !== null && foldedRowOfKey(model, one) >= 0);
    return key ? { key, contracts: key === base } : null;
  }, [model, base, onto]);
}

type Place = { readonly x: number; readonly y: number } | undefined;

/** Moves the view only as far as the selected node is outside it. */
function useFollowSelection(selected: string | null, placeOf: (key: string) => Place): void {
  const flow = useReactFlow();
  const size = useStore((state) => `${state.width} ${state.height}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new selection moves the view
  useEffect(() => {
    const place = selected && placeOf(selected);
    if (!place) return;
    const [width = 0, height = 0] = size.split(" ").map(Number);
    const { x, y, zoom } = flow.getViewport();
    const left = place.x * zoom + x;
    const top = place.y * zoom + y;
    const inside =
      left >= 0 && top >= 0 && left + nodeWidth * zoom <= width && top + nodeHeight * zoom <= height;
    if (inside) return;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    void flow.setCenter(place.x + nodeWidth / 2, place.y + nodeHeight / 2, {
      zoom,
      duration: calm ? 0 : panMs,
    });
  }, [selected]);
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
