import {
  Background,
  BackgroundVariant,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { ArrowLeft } from "lucide-react";
import { useRef } from "react";
import { Button } from "../../kit/button.tsx";
import { takeKey } from "../../kit/key-table.ts";
import { MenuAt } from "../../kit/menu.tsx";
import { useHost } from "../../state/host-store.ts";
import { useSelection } from "../../state/selection-store.ts";
import { useKeptPlace } from "../../state/use-kept-place.ts";
import { LiveRegion } from "../change/live-region.tsx";
import { useGraphKeys } from "../change/use-graph-keys.ts";
import { asDocument } from "../model/as-document.ts";
import { useNodeDrag } from "../rebase/use-node-drag.ts";
import { ChangeEdge } from "./canvas-edge.tsx";
import { CanvasList } from "./canvas-list.tsx";
import { ChangeNode, FoldNode } from "./canvas-node.tsx";
import { CanvasOverview } from "./canvas-overview.tsx";
import { RadarEdge } from "./canvas-radar.tsx";
import { useWindow } from "./canvas-window.ts";
import { useCanvasMenu } from "./use-canvas-menu.ts";
import { useCanvasPointer } from "./use-canvas-pointer.ts";
import { useCanvasScene } from "./use-canvas-scene.ts";
import { useFollowSelection } from "./use-follow-selection.ts";
import { useHomeView } from "./use-home-view.ts";
import { mapKeys, useMapZoom } from "./use-map-zoom.ts";
import { ZoomButtons } from "./zoom-buttons.tsx";
import { useTitleSize, useZoomLevel } from "./zoom-level.ts";

// One object each for the life of the window: React Flow mounts everything anew when these change.
const nodeTypes = { change: ChangeNode, fold: FoldNode };
const edgeTypes = { change: ChangeEdge, radar: RadarEdge };
const proOptions = { hideAttribution: true };
/** Where a line leads is said by what it joins. */
const unspoken = { domAttributes: { "aria-hidden": true } } as const;
const none: [] = [];

interface CanvasViewProps {
  /** The way back to the runs that were; null where a run is what the map stands for. */
  readonly onRuns: (() => void) | null;
}

/** The graph as a map: React Flow near by, a plain canvas when far away. */
export function CanvasView({ onRuns }: CanvasViewProps) {
  return (
    <ReactFlowProvider>
      <Canvas onRuns={onRuns} />
    </ReactFlowProvider>
  );
}

function Canvas({ onRuns }: CanvasViewProps) {
  const hasRuns = useHost(({ repository }) => (repository?.runs ?? []).length > 0);
  const scene = useCanvasScene();
  const { layout, radar, flowed } = scene;
  const { nodes, edges } = useWindow(flowed);
  const level = useZoomLevel();
  const drag = useNodeDrag();
  const selected = useSelection((state) => state.selected);
  const menu = useCanvasMenu(scene);
  const home = useHomeView(flowed.nodes, selected);
  const zoom = useMapZoom(home.leave);
  const { onKeyDown } = useGraphKeys(menu.ofRow, (event) => takeKey(mapKeys, event, zoom));
  const list = useRef<HTMLDivElement>(null);
  const pointer = useCanvasPointer({ scene, list, level, menu, wasDrag: drag.wasDrag });
  useFollowSelection(selected, scene.placeOf);
  const flow = useReactFlow();
  useKeptPlace("canvas", flow.getViewport, (place) => void flow.setViewport(place));
  const map = useRef<HTMLDivElement>(null);
  useTitleSize(map);

  return (
    <div ref={map} className="relative size-full" {...pointer} {...drag.handlers}>
      <CanvasList scene={scene} list={list} onKeyDown={onKeyDown} />
      {layout && level === "far" && <CanvasOverview layout={layout} radar={radar} />}
      <ReactFlow
        ref={asDocument}
        nodes={level === "far" ? none : nodes}
        edges={level === "far" ? none : edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        defaultEdgeOptions={unspoken}
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
        onMoveStart={home.onMoveStart}
        proOptions={proOptions}
      >
        {level !== "far" && (
          <Background variant={BackgroundVariant.Dots} gap={24} size={1} color="var(--line)" />
        )}
        <Panel position="bottom-right">
          <ZoomButtons zoom={zoom} />
        </Panel>
        {onRuns && (
          <Panel position="top-left">
            <Button size="sm" onClick={onRuns}>
              <ArrowLeft size={13} aria-hidden /> {hasRuns ? "Recent runs" : "Back"}
            </Button>
          </Panel>
        )}
      </ReactFlow>
      <MenuAt at={menu.menu?.at ?? null} entries={menu.menu?.entries ?? []} onClose={menu.close} />
      <LiveRegion />
    </div>
  );
}
