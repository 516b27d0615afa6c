/** The whole graph on one plain canvas: when it is far away no element is mounted at all. */
import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import type { CanvasLayout } from "#shared/graph/canvas-layout.ts";
import { useShownTheme } from "../../kit/theme.ts";
import type { RadarLink } from "../../state/radar.ts";
import { useSelection } from "../../state/selection-store.ts";
import { useFilter } from "../model/filter-store.ts";
import { paint, readColours, sceneOf } from "./paint-overview.ts";
import { usePointedRow } from "./pointed-row.ts";

interface CanvasOverviewProps {
  readonly layout: CanvasLayout;
  readonly radar: readonly RadarLink[];
}

export function CanvasOverview({ layout, radar }: CanvasOverviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const store = useStoreApi();
  const theme = useShownTheme();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme has new colours to read
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context) return;
    const scene = sceneOf(layout, radar);
    const colours = readColours();
    let frame = 0;
    const draw = (): void => {
      frame = 0;
      const { transform, width, height } = store.getState();
      const pixels = {
        width: Math.round(width * devicePixelRatio),
        height: Math.round(height * devicePixelRatio),
      };
      if (element.width !== pixels.width || element.height !== pixels.height) Object.assign(element, pixels);
      const [x, y, zoom] = transform;
      paint(context, scene, { x, y, zoom, width, height }, colours, {
        matches: useFilter.getState().commits,
        selected: useSelection.getState().selected,
        pointed: usePointedRow.getState().key,
      });
    };
    const soon = (): void => {
      frame ||= requestAnimationFrame(draw);
    };
    // Drawn at once and by the view's own changes: React has no part in panning.
    draw();
    const stops = [
      store.subscribe(soon),
      useSelection.subscribe(soon),
      useFilter.subscribe(soon),
      usePointedRow.subscribe(soon),
    ];
    return () => {
      cancelAnimationFrame(frame);
      for (const stop of stops) stop();
    };
  }, [layout, radar, store, theme]);

  return <canvas ref={canvas} className="absolute inset-0 size-full" />;
}
