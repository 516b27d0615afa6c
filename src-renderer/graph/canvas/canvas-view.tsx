import {
  Background,
  BackgroundVariant,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useRef } from "react";
import { MenuAt } from "../../kit/menu.tsx";
import { bothDrags } from "../../kit/use-pointer-drag.ts";
import { useSelection } from "../../state/selection-store.ts";
import { useKeptPlace } from "../../state/use-kept-place.ts";
import { LiveRegion } from "../change/live-region.tsx";
import { asDocument } from "../model/as-document.ts";
import { PlanLinkBanner } from "../plan/plan-link-banner.tsx";
import { usePlanDrag } from "../plan/use-plan-drag.ts";
import { useNodeDrag } from "../rebase/use-node-drag.ts";
import { ChangeEdge } from "./canvas-edge.tsx";
import { BandNode, GhostNode } from "./canvas-ghost.tsx";
import { CanvasList } from "./canvas-list.tsx";
import { ChangeNode, FoldNode } from "./canvas-node.tsx";
import { CanvasOverview } from "./canvas-overview.tsx";
import { ClaimEdge, GhostEdge, LinkPreviewLine, PhaseEdge } from "./canvas-plan-edge.tsx";
import { RadarEdge } from "./canvas-radar.tsx";
import { useWindow } from "./canvas-window.ts";
import { useCanvasKeys } from "./use-canvas-keys.ts";
import { useCanvasMenu } from "./use-canvas-menu.ts";
import { useCanvasPointer } from "./use-canvas-pointer.ts";
import { useCanvasScene } from "./use-canvas-scene.ts";
import { useFollowSelection } from "./use-follow-selection.ts";
import { useHomeView } from "./use-home-view.ts";
import { ZoomButtons } from "./zoom-buttons.tsx";
import { useZoomLevel } from "./zoom-level.ts";

// One object each for the life of the window: React Flow mounts everything anew when these change.
const nodeTypes = { change: ChangeNode, fold: FoldNode, ghost: GhostNode, band: BandNode };
const edgeTypes = {
  change: ChangeEdge,
  radar: RadarEdge,
  ghost: GhostEdge,
  phase: PhaseEdge,
  claim: ClaimEdge,
};
const proOptions = { hideAttribution: true };
/** Where a line leads is said by what it joins. */
const unspoken = { domAttributes: { "aria-hidden": true } } as const;
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
  const scene = useCanvasScene();
  const { layout, proposed, radar, flowed, ghosts } = scene;
  const { nodes, edges } = useWindow(flowed);
  const level = useZoomLevel();
  const drag = useNodeDrag();
  const planDrag = usePlanDrag();
  const selected = useSelection((state) => state.selected);
  const menu = useCanvasMenu(scene);
  const onKeyDown = useCanvasKeys(scene, menu);
  const list = useRef<HTMLDivElement>(null);
  const wasDrag = { ofRow: drag.wasDrag, ofPart: planDrag.wasDrag };
  const pointer = useCanvasPointer({ scene, list, level, menu, wasDrag });
  useFollowSelection(selected, scene.placeOf);
  const flow = useReactFlow();
  useKeptPlace("canvas", flow.getViewport, (place) => void flow.setViewport(place));
  const onMoveStart = useHomeView(flowed.nodes, selected, proposed?.on ?? null);

  return (
    <div className="relative size-full" {...pointer} {...bothDrags(drag.handlers, planDrag.handlers)}>
      <CanvasList scene={scene} list={list} onKeyDown={onKeyDown} />
      {layout && level === "far" && <CanvasOverview layout={layout} radar={radar} ghosts={ghosts} />}
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
      <LinkPreviewLine placeOf={scene.placeOf} />
      <PlanLinkBanner />
      <MenuAt at={menu.menu?.at ?? null} entries={menu.menu?.entries ?? []} onClose={menu.close} />
      <LiveRegion />
    </div>
  );
}
