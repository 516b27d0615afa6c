/** Where the canvas looks by itself: at the live work, until a person moves the view. */
import type { OnMoveStart } from "@xyflow/react";
import { useReactFlow, useStore } from "@xyflow/react";
import { useCallback, useEffect, useRef } from "react";
import { nodeHeight, nodeWidth } from "#shared/graph/canvas-layout.ts";
import type { Change } from "#shared/graph/change.ts";
import type { FlowNode } from "./canvas-elements.ts";
import { farBelow } from "./zoom-level.ts";

export interface Box {
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

export interface HomeView {
  readonly onMoveStart: OnMoveStart;
  /** A person has chosen what to look at: from now on nothing else moves the view. */
  readonly leave: () => void;
}

export function useHomeView(nodes: readonly FlowNode[], selected: string | null): HomeView {
  const flow = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const byPerson = useRef(false);
  const last = useRef("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a selection made here moves the view only when it must
  useEffect(() => {
    if (byPerson.current || width === 0 || height === 0) return;
    const box = liveBox(nodes, last.current === "" ? selected : null);
    if (!box) return;
    const key = Object.values(box).join(" ");
    if (key === last.current) return;
    const calm = last.current === "" || matchMedia("(prefers-reduced-motion: reduce)").matches;
    last.current = key;
    void flow.setViewport(viewFitting(box, width, height), { duration: calm ? 0 : glideMs });
  }, [nodes, width, height, flow]);
  const leave = useCallback(() => {
    byPerson.current = true;
  }, []);
  return {
    leave,
    // Moves of our own have no event.
    onMoveStart: useCallback((event) => event !== null && leave(), [leave]),
  };
}
