/** The whole graph on one plain canvas: when it is far away no element is mounted at all. */
import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import type { CanvasLayout, CanvasNode } from "#shared/graph/canvas-layout.ts";
import { laneGap, nodeHeight, nodeWidth } from "#shared/graph/canvas-layout.ts";
import { statusColours } from "../../kit/status-icon.tsx";
import { useShownTheme } from "../../kit/theme.ts";
import type { RadarLink } from "../../state/radar.ts";
import { useSelection } from "../../state/selection-store.ts";
import { useFilter } from "../model/filter-store.ts";
import { radarPath } from "./canvas-radar.tsx";

interface Colours {
  readonly lanes: readonly string[];
  readonly node: string;
  readonly edge: string;
  readonly danger: string;
  readonly accent: string;
  readonly warning: string;
  readonly status: Readonly<Record<string, string>>;
}

function readColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  return {
    lanes: Array.from({ length: 8 }, (_, lane) => value(`--lane-${lane}`)),
    node: value("--line-strong"),
    edge: value("--faint"),
    danger: value("--danger"),
    accent: value("--accent"),
    warning: value("--warning"),
    status: Object.fromEntries(
      Object.entries(statusColours).map(([status, colour]) => [status, value(colour.slice(4, -1))]),
    ),
  };
}

interface Line {
  readonly from: CanvasNode;
  readonly to: CanvasNode;
}

interface Scene {
  /** Sorted by y, so that what is in sight is found without looking at all. */
  readonly nodes: readonly CanvasNode[];
  /** Sorted by the y of their lower end. */
  readonly lines: readonly Line[];
  /** The longest line, in canvas pixels: how far above the lower edge its upper end may be. */
  readonly longest: number;
  /** Agents that are about to collide. */
  readonly radar: readonly Line[];
}

function sceneOf(layout: CanvasLayout, radar: readonly RadarLink[]): Scene {
  const byId = new Map(layout.nodes.map((node) => [node.id, node]));
  const lines: Line[] = [];
  let longest = 0;
  for (const edge of layout.edges) {
    const from = byId.get(edge.source);
    const to = edge.target === null ? undefined : byId.get(edge.target);
    if (!from || !to) continue;
    lines.push({ from, to });
    longest = Math.max(longest, to.y - from.y);
  }
  return {
    nodes: [...layout.nodes].sort((a, b) => a.y - b.y),
    lines: lines.sort((a, b) => a.to.y - b.to.y),
    longest,
    radar: radar.flatMap(({ from, to }) => {
      const [one, other] = [byId.get(from), byId.get(to)];
      return one && other ? [{ from: one, to: other }] : [];
    }),
  };
}

/** First index whose value is not below `least`. */
function firstAt<T>(sorted: readonly T[], sizeOf: (item: T) => number, least: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = sorted[middle];
    if (item !== undefined && sizeOf(item) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
  readonly width: number;
  readonly height: number;
}

function paint(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  colours: Colours,
  selected: string | null,
  matches: ReadonlySet<string> | null,
): void {
  const { x, y, zoom, width, height } = view;
  const ratio = devicePixelRatio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * x, ratio * y);
  const top = -y / zoom - nodeHeight;
  const bottom = (height - y) / zoom;

  context.lineWidth = 1.25 / zoom;
  context.globalAlpha = 0.6;
  const paths = colours.lanes.map(() => new Path2D());
  for (let at = firstAt(scene.lines, (line) => line.to.y, top); at < scene.lines.length; at++) {
    const line = scene.lines[at];
    if (!line || line.to.y - scene.longest > bottom) break;
    if (line.from.y > bottom) continue;
    const path = paths[Math.round(line.to.x / (nodeWidth + laneGap)) % paths.length];
    path?.moveTo(line.from.x + nodeWidth / 2, line.from.y + nodeHeight);
    path?.lineTo(line.to.x + nodeWidth / 2, Math.min(line.from.y + nodeHeight + 40, line.to.y));
    path?.lineTo(line.to.x + nodeWidth / 2, line.to.y);
  }
  for (const [lane, path] of paths.entries()) {
    context.strokeStyle = colours.lanes[lane] ?? colours.edge;
    context.stroke(path);
  }

  for (let at = firstAt(scene.nodes, (node) => node.y, top); at < scene.nodes.length; at++) {
    const node = scene.nodes[at];
    if (!node || node.y > bottom) break;
    const change = node.row.kind === "change" ? node.row.change : null;
    const status = change?.metadata.status;
    context.globalAlpha = matches && !(change && matches.has(change.commitId)) ? 0.25 : 1;
    context.fillStyle = change?.conflict
      ? colours.danger
      : status
        ? (colours.status[status] ?? colours.node)
        : colours.node;
    context.fillRect(node.x, node.y, nodeWidth, nodeHeight);
    if (node.id === selected) {
      context.lineWidth = 3 / zoom;
      context.strokeStyle = colours.accent;
      context.strokeRect(node.x, node.y, nodeWidth, nodeHeight);
      context.lineWidth = 1.25 / zoom;
    }
  }
  context.globalAlpha = 1;

  context.lineWidth = 2.5 / zoom;
  context.lineCap = "round";
  context.setLineDash([0.1 / zoom, 5 / zoom]);
  context.strokeStyle = colours.warning;
  for (const { from, to } of scene.radar)
    context.stroke(
      new Path2D(
        from.y <= to.y
          ? radarPath(from.x + nodeWidth / 2, from.y + nodeHeight, to.x + nodeWidth / 2, to.y)
          : radarPath(to.x + nodeWidth / 2, to.y + nodeHeight, from.x + nodeWidth / 2, from.y),
      ),
    );
  context.setLineDash([]);
  context.lineCap = "butt";
}

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
      paint(
        context,
        scene,
        { x, y, zoom, width, height },
        colours,
        useSelection.getState().selected,
        useFilter.getState().commits,
      );
    };
    const soon = (): void => {
      frame ||= requestAnimationFrame(draw);
    };
    // Drawn at once and by the view's own changes: React has no part in panning.
    draw();
    const stops = [store.subscribe(soon), useSelection.subscribe(soon), useFilter.subscribe(soon)];
    return () => {
      cancelAnimationFrame(frame);
      for (const stop of stops) stop();
    };
  }, [layout, radar, store, theme]);

  return <canvas ref={canvas} className="absolute inset-0 size-full" />;
}
