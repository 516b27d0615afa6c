import {
  Background,
  BackgroundVariant,
  type EdgeProps,
  type OnMoveStart,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { ArrowLeft, Maximize2, Minus, Plus } from "lucide-react";
import {
  type MouseEvent,
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { nodeHeight, nodeWidth } from "#shared/graph/canvas-layout.ts";
import type { Change } from "#shared/graph/change.ts";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { takeKey } from "../../kit/key-table.ts";
import { MenuAt, type OpenMenu } from "../../kit/menu.tsx";
import { useHost } from "../../state/host-store.ts";
import { useKeptPlace } from "../../state/replay-store.ts";
import { inspect, select, useSelection } from "../../state/selection-store.ts";
import { rowMenu } from "../change/change-menu.tsx";
import { chooseRow } from "../change/choose-row.ts";
import { useGraphKeys } from "../change/graph-keys.ts";
import { LiveRegion } from "../change/live-region.tsx";
import { foldedRowOfKey, rowKeyOf } from "../model/graph-model.ts";
import { laneColour } from "../model/lane-colour.ts";
import { useNodeDrag } from "../rebase/use-node-drag.ts";
import {
  type CanvasScene,
  type ChangeFlowEdge,
  type FlowEdge,
  type FlowNode,
  useCanvasScene,
} from "./canvas-elements.ts";
import { CanvasList } from "./canvas-list.tsx";
import { ChangeNode, FoldNode } from "./canvas-node.tsx";
import { CanvasOverview } from "./canvas-overview.tsx";
import { RadarEdge } from "./canvas-radar.tsx";
import { farNodeAt } from "./far-labels.ts";
import { pointAt } from "./pointed-row.ts";
import {
  farBelow,
  type MapZoom,
  mapKeys,
  useMapZoom,
  useTitleSize,
  useZoomLevel,
  type ZoomLevel,
} from "./use-map-zoom.ts";

/**
 * React Flow marks its drawing as an application, in which screen readers do not read on their own. Ours contains plain
 * groups, buttons and words like anywhere else.
 */
const asDocument = (drawing: HTMLElement | null): void => {
  drawing?.setAttribute("role", "presentation");
};

// Constants: React Flow remounts everything when these objects change.
const nodeTypes = { change: ChangeNode, fold: FoldNode };

const bendHeight = 30;

/** From child to parent: straight down, or one soft bend right below the child and then down the parent's lane. */
function pathOf(x1: number, y1: number, x2: number, y2: number): string {
  if (Math.abs(x1 - x2) < 1) return `M${x1} ${y1}V${y2}`;
  const end = Math.min(y1 + bendHeight, y2);
  const half = (y1 + end) / 2;
  return `M${x1} ${y1}C${x1} ${half} ${x2} ${half} ${x2} ${end}V${y2}`;
}

const ChangeEdge = memo(function ChangeEdge({
  sourceX,
  sourceY,
  targetX,
  targetY,
  data,
}: EdgeProps<ChangeFlowEdge>) {
  return (
    <path
      d={pathOf(sourceX, sourceY, targetX, targetY)}
      fill="none"
      stroke={laneColour(data?.hue ?? 0)}
      strokeWidth={1.75}
      strokeOpacity={0.8}
    />
  );
});
const edgeTypes = { change: ChangeEdge, radar: RadarEdge };
const proOptions = { hideAttribution: true };
/** Where a line leads is said by what it joins. */
const unspoken = { domAttributes: { "aria-hidden": true } } as const;
const none: [] = [];

interface CanvasViewProps {
  /** Back to the recent runs; null where the map shows a run. */
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

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Messages come and go beside the work: the view does not follow them. */
const isLive = ({ metadata, immutable }: Change): boolean =>
  metadata.run !== undefined && metadata.kind !== "message" && !immutable;

/** What belongs to a run, and without any of it the topmost node. What is selected is always with it. */
function liveBox(nodes: readonly FlowNode[], selected: string | null): Box | null {
  const live = nodes.filter(
    (node) => node.id === selected || (node.type === "change" && isLive(node.data.row.change)),
  );
  const first = nodes[0];
  const shown = live.length > 0 ? live : first ? [first] : [];
  if (shown.length === 0) return null;
  const xs = shown.map((node) => node.position.x);
  const ys = shown.map((node) => node.position.y);
  return {
    left: Math.min(...xs),
    top: Math.min(...ys),
    right: Math.max(...shown.map((node) => node.position.x + (node.width ?? nodeWidth))),
    bottom: Math.max(...shown.map((node) => node.position.y + (node.height ?? nodeHeight))),
  };
}

const margin = 40;
/** Small words are drawn from here on. */
const largest = 1;
/** No words are drawn below. */
const smallest = farBelow;

/** The view that shows a box whole where it can, from its top left where it cannot. */
export function viewFitting(box: Box, width: number, height: number): { x: number; y: number; zoom: number } {
  const fit = Math.min(
    (width - 2 * margin) / (box.right - box.left),
    (height - 2 * margin) / (box.bottom - box.top),
  );
  const zoom = Math.max(smallest, Math.min(largest, fit));
  const centred = (room: number, from: number, to: number): number =>
    Math.max(margin, (room - (to - from) * zoom) / 2) - from * zoom;
  return { x: centred(width, box.left, box.right), y: centred(height, box.top, box.bottom), zoom };
}

const glideMs = 220;

interface HomeView {
  readonly onMoveStart: OnMoveStart;
  /** A user has chosen what to look at: from now on nothing else moves the view. */
  readonly leave: () => void;
}

/** The canvas follows the live work until the user moves the view. */
function useHomeView(nodes: readonly FlowNode[], selected: string | null): HomeView {
  const flow = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const byUser = useRef(false);
  const last = useRef("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a selection made here moves the view only when it must
  useEffect(() => {
    if (byUser.current || width === 0 || height === 0) return;
    const box = liveBox(nodes, last.current === "" ? selected : null);
    if (!box) return;
    const key = Object.values(box).join(" ");
    if (key === last.current) return;
    const calm = last.current === "" || matchMedia("(prefers-reduced-motion: reduce)").matches;
    last.current = key;
    void flow.setViewport(viewFitting(box, width, height), { duration: calm ? 0 : glideMs });
  }, [nodes, width, height, flow]);
  const leave = useCallback(() => {
    byUser.current = true;
  }, []);
  return {
    leave,
    // Moves of our own have no event.
    onMoveStart: useCallback((event) => event !== null && leave(), [leave]),
  };
}

/** The one menu of the canvas: at the pointer, or below what the keys opened it for. */
function useCanvasMenu({ placeOf }: CanvasScene) {
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const flow = useReactFlow();
  const below = (key: string): OpenMenu["at"] | null => {
    const place = placeOf(key);
    return place ? flow.flowToScreenPosition({ x: place.x + 16, y: place.y + nodeHeight }) : null;
  };
  const show = (at: OpenMenu["at"] | null, entries: () => OpenMenu["entries"]): void => {
    if (at) setMenu({ at, entries: entries() });
  };
  return {
    menu,
    close: () => setMenu(null),
    ofRow: (row: FoldedRow, at = below(rowKeyOf(row))) => show(at, () => rowMenu(row)),
  };
}

interface CanvasPointer {
  readonly scene: CanvasScene;
  /** What has the focus of the canvas. */
  readonly list: RefObject<HTMLElement | null>;
  readonly level: ZoomLevel;
  readonly menu: ReturnType<typeof useCanvasMenu>;
  /** True right after a drag: its release is no click. */
  readonly wasDrag: () => boolean;
}

/** What the pointer does on the canvas beside dragging: choosing, opening, and asking for a menu. */
function useCanvasPointer({ scene, list, level, menu, wasDrag }: CanvasPointer) {
  const rowAt = useRowAt(scene, level);
  return {
    onClick: (event: MouseEvent<HTMLElement>): void => {
      if (closest(event, "button, [role=menu]")) return;
      list.current?.focus({ preventScroll: true });
      const row = rowAt(event);
      if (row && !wasDrag()) chooseRow(row);
    },
    // Near by every node says itself what it is.
    onMouseMove: (event: MouseEvent): void => {
      const row = level === "far" && !closest(event, "button") ? rowAt(event) : null;
      pointAt(row && rowKeyOf(row));
    },
    onMouseLeave: (): void => pointAt(null),
    onDoubleClick: (event: MouseEvent): void => {
      const row = rowAt(event);
      if (row?.kind === "change") inspect(rowKeyOf(row));
    },
    onContextMenu: (event: MouseEvent): void => {
      const at = { x: event.clientX, y: event.clientY };
      const row = rowAt(event);
      if (!row) return;
      event.preventDefault();
      select(rowKeyOf(row));
      menu.ofRow(row, at);
    },
  };
}

/** The row under the pointer; at a far zoom, where rows have no element, by position. */
function useRowAt({ model, layout }: CanvasScene, level: ZoomLevel) {
  const flow = useReactFlow();
  return (event: MouseEvent): FoldedRow | null => {
    const key = closest(event, "[data-row-key]")?.dataset.rowKey;
    if (key) return model?.folded.rows[foldedRowOfKey(model, key)] ?? null;
    if (level !== "far" || !layout) return null;
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    return farNodeAt(layout.nodes, at, flow.getZoom())?.row ?? null;
  };
}

const closest = (event: MouseEvent, selector: string): HTMLElement | null =>
  event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null;

interface Flow {
  readonly nodes: FlowNode[];
  readonly edges: FlowEdge[];
}

/** Below this the whole graph is given. */
const large = 400;
/** The window moves in steps of this many canvas pixels, and reaches one step beyond what is seen. */
const step = 1_600;

const namesOf = new WeakMap<readonly FlowNode[], ReadonlyMap<string, FlowNode>>();

/** Node by id, made once for each graph: half of what a step of the window cost. */
function byIdOf(nodes: readonly FlowNode[]): ReadonlyMap<string, FlowNode> {
  const known = namesOf.get(nodes) ?? new Map(nodes.map((node) => [node.id, node]));
  namesOf.set(nodes, known);
  return known;
}

/** Nodes between two heights, the edges that cross this stretch, and the nodes at their ends. */
export function stretchOf({ nodes, edges }: Flow, top: number, bottom: number): Flow {
  const byId = byIdOf(nodes);
  const inside = new Set(
    nodes.filter(({ position: { y }, height = nodeHeight }) => y + height >= top && y <= bottom),
  );
  const crossing = edges.filter((edge) => {
    const from = byId.get(edge.source);
    const to = byId.get(edge.target);
    if (!from || !to || to.position.y < top || from.position.y > bottom) return false;
    inside.add(from);
    inside.add(to);
    return true;
  });
  return { nodes: nodes.filter((node) => inside.has(node)), edges: crossing };
}

/**
 * The part of a large graph that React Flow is given. It looks at every node and every edge with each frame of a pan,
 * so what it does not know costs nothing.
 *
 * The window around what is seen; the same object until the view has moved on by a step.
 */
function useWindow(flow: Flow): Flow {
  const firstStep = useStore(({ transform: [, y, zoom] }) => Math.floor(-y / zoom / step) - 1);
  const lastStep = useStore(
    ({ transform: [, y, zoom], height }) => Math.ceil((height - y) / zoom / step) + 1,
  );
  return useMemo(
    () => (flow.nodes.length <= large ? flow : stretchOf(flow, firstStep * step, lastStep * step)),
    [flow, firstStep, lastStep],
  );
}

const panMs = 160;
/** Room that is kept around what is brought into sight. */
const followMargin = 24;

type Place = { readonly x: number; readonly y: number } | undefined;

/**
 * Keeps what is selected in sight on the canvas.
 *
 * Moves the view only as far as the selected node is outside it.
 */
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
    const shift = (start: number, end: number, room: number): number =>
      start < followMargin ? followMargin - start : Math.min(0, room - followMargin - end);
    const right = shift(left, left + nodeWidth * zoom, width);
    const down = shift(top, top + nodeHeight * zoom, height);
    if (right === 0 && down === 0) return;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    void flow.setViewport({ x: x + right, y: y + down, zoom }, { duration: calm ? 0 : panMs });
  }, [selected]);
}

function ZoomButtons({ zoom }: { readonly zoom: MapZoom }) {
  return (
    <div className="notice-end flex rounded-md border bg-raised">
      <IconButton label="Zoom out" keys="-" icon={<Minus size={14} />} onClick={zoom.smaller} />
      <IconButton label="Zoom in" keys="plus" icon={<Plus size={14} />} onClick={zoom.larger} />
      <IconButton
        label="Show everything"
        keys="0"
        icon={<Maximize2 size={13} />}
        onClick={zoom.showEverything}
      />
    </div>
  );
}
