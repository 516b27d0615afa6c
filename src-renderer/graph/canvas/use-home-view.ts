/** Where the canvas looks by itself: at the live work, until a person moves the view. */
import type { OnMoveStart } from "@xyflow/react";
import { useReactFlow, useStore } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { nodeHeight, nodeWidth } from "#shared/graph/canvas-layout.ts";
import type { Change } from "#shared/graph/change.ts";
import { partOfKey } from "../../features/plan/plan-parts.ts";
import { usePlanDrafts } from "../../state/plan-draft.ts";
import type { FlowNode } from "./canvas-elements.ts";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Messages come and go beside the work: the view does not follow them. */
const isLive = ({ metadata, immutable }: Change): boolean =>
  metadata.run !== undefined && metadata.kind !== "message" && !immutable;

/**
 * A plan that waits, with what it stands on: it is what a person has to decide. Otherwise what belongs to a run, and
 * without any of it the topmost node. What is selected is always with it.
 */
export function liveBox(
  nodes: readonly FlowNode[],
  selected: string | null,
  stand: string | null = null,
): Box | null {
  const isProposed = (node: FlowNode): boolean =>
    node.type === "ghost" || (node.type === "band" && node.data.proposed);
  const waits = nodes.some(isProposed);
  const live = nodes.filter(
    (node) =>
      node.id === selected ||
      (waits
        ? node.id === stand || isProposed(node)
        : node.type === "band" || (node.type === "change" && isLive(node.data.row.change))),
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
const largest = 0.95;
const smallest = 0.72;

const fits = (box: Box, width: number, height: number): boolean =>
  (box.right - box.left) * smallest <= width - 2 * margin &&
  (box.bottom - box.top) * smallest <= height - 2 * margin;

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

/** Answers the handler that tells when a person took the view over. */
export function useHomeView(
  nodes: readonly FlowNode[],
  selected: string | null,
  stand: string | null,
): OnMoveStart {
  const flow = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const byPerson = useRef(false);
  const last = useRef("");
  const chosen = usePlanDrafts((state) => state.chosen);
  const followed = useRef(chosen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a selection made here moves the view only when it must
  useEffect(() => {
    // Who chooses a plan wants to see it, wherever the view was moved before.
    if (followed.current !== chosen) byPerson.current = false;
    followed.current = chosen;
    if (byPerson.current || width === 0 || height === 0) return;
    // Who edits a plan keeps its place; what is selected is brought into sight for itself.
    if (last.current !== "" && partOfKey(selected) !== null) return;
    const shown = last.current === "" ? selected : null;
    const whole = liveBox(nodes, shown, stand);
    // What a plan stands on may be far from it: then the plan itself comes first.
    const box = whole && fits(whole, width, height) ? whole : liveBox(nodes, shown, null);
    if (!box) return;
    const key = Object.values(box).join(" ");
    if (key === last.current) return;
    const calm = last.current === "" || matchMedia("(prefers-reduced-motion: reduce)").matches;
    last.current = key;
    void flow.setViewport(viewFitting(box, width, height), { duration: calm ? 0 : glideMs });
  }, [nodes, width, height, flow, chosen]);
  return (event) => {
    // Moves of our own have no event.
    if (event !== null) byPerson.current = true;
  };
}
