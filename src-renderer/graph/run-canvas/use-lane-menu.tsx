/** The menu of a lane: that of its change, by the mouse and by keys. */
import { Crosshair } from "lucide-react";
import { type MouseEvent, type ReactNode, useState } from "react";
import { MenuAt, type MenuEntry } from "../../kit/menu.tsx";
import type { OpenMenu } from "../../kit/open-menu.ts";
import { changeOfKey, keyOf, useGraph } from "../../state/graph-store.ts";
import { lookAt } from "../../state/selection-store.ts";
import { changeMenu } from "../change/change-menu.tsx";
import { toggleFollow, useCanvasView } from "./canvas-view-store.ts";

const laneOf = (element: EventTarget | Element | null): HTMLElement | null =>
  element instanceof Element ? element.closest<HTMLElement>("[data-lane]") : null;

const followEntry = (lane: string): MenuEntry => {
  const isFollowed = useCanvasView.getState().followed === lane;
  return {
    label: isFollowed ? "Stop following this lane" : "Follow this lane",
    icon: <Crosshair size={14} />,
    keys: "f",
    onSelect: () => toggleFollow(lane),
  };
};

interface LaneMenu {
  /** Opens the menu of a lane; false: it has no change yet, and nothing can be done with it. */
  readonly openMenu: (lane: HTMLElement) => boolean;
  readonly onContextMenu: (event: MouseEvent) => void;
  readonly menu: ReactNode;
}

export function useLaneMenu(): LaneMenu {
  const [open, setOpen] = useState<OpenMenu | null>(null);
  const openAt = (lane: HTMLElement, at: OpenMenu["at"]): boolean => {
    const { graph } = useGraph.getState();
    const { changeId } = lane.dataset;
    const change = graph && changeId !== undefined ? changeOfKey(graph, changeId) : null;
    if (!change) return false;
    lookAt(keyOf(change));
    setOpen({ at, entries: [followEntry(lane.dataset.lane ?? ""), "separator", ...changeMenu(change)] });
    return true;
  };
  return {
    openMenu(lane) {
      const { left, top, height } = lane.getBoundingClientRect();
      return openAt(lane, { x: left + 48, y: top + Math.min(height, 28) });
    },
    onContextMenu(event) {
      const lane = laneOf(event.target);
      if (lane && openAt(lane, { x: event.clientX, y: event.clientY })) event.preventDefault();
    },
    menu: <MenuAt at={open?.at ?? null} entries={open?.entries ?? []} onClose={() => setOpen(null)} />,
  };
}
