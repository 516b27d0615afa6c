/** The whole graph on one plain canvas: when it is far away no element is mounted at all. */
import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { shortened } from "#shared/domain/text/format-text.ts";
import {
  type CanvasLayout,
  type CanvasNode,
  laneGap,
  nodeHeight,
  nodeWidth,
} from "#shared/graph/canvas-layout.ts";
import { statusColours } from "../../kit/status-icon.tsx";
import { useShownTheme } from "../../kit/theme.ts";
import type { RadarLink } from "../../state/radar.ts";
import { useSelection } from "../../state/selection-store.ts";
import { useFilter } from "../model/filter-store.ts";
import { radarPath } from "./canvas-radar.tsx";
import { areRowsRead, farLabel, labelSize, markRadius } from "./far-labels.ts";
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

interface Colours {
  readonly font: string;
  readonly text: string;
  readonly accentText: string;
  readonly surface: string;
  readonly lanes: readonly string[];
  readonly node: string;
  readonly edge: string;
  readonly danger: string;
  readonly accent: string;
  readonly warning: string;
  readonly status: Readonly<Record<string, string>>;
}

/**
 * How the whole graph is painted while it is far away: marks, the lines between them, and words of one size.
 */
function readColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  return {
    lanes: Array.from({ length: 8 }, (_, lane) => value(`--lane-${lane}`)),
    font: style.fontFamily,
    text: value("--text"),
    accentText: value("--accent-text"),
    surface: value("--surface"),
    node: value("--faint"),
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

/** What is looked for, chosen, and pointed at. */
interface Marked {
  readonly matches: ReadonlySet<string> | null;
  readonly selected: string | null;
  readonly pointed: string | null;
}

function paint(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  colours: Colours,
  marked: Marked,
): void {
  const { x, y, zoom, width, height } = view;
  const ratio = devicePixelRatio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * x, ratio * y);
  const top = -y / zoom - nodeHeight;
  const bottom = (height - y) / zoom;
  const from = firstAt(scene.nodes, (node) => node.y, top);
  const inSight = scene.nodes.slice(
    from,
    firstAt(scene.nodes, (node) => node.y, bottom),
  );
  paintLines(context, scene, { top, bottom, zoom }, colours);
  paintMarks(context, inSight, zoom, colours, marked);
  paintRadar(context, scene, zoom, colours);
  paintLabels(context, inSight, { zoom, right: (width - x) / zoom }, colours, marked);
}

const middle = { x: nodeWidth / 2, y: nodeHeight / 2 } as const;

function paintLines(
  context: CanvasRenderingContext2D,
  { lines, longest }: Scene,
  { top, bottom, zoom }: { readonly top: number; readonly bottom: number; readonly zoom: number },
  colours: Colours,
): void {
  context.lineWidth = 1.25 / zoom;
  context.globalAlpha = 0.6;
  const paths = colours.lanes.map(() => new Path2D());
  for (let at = firstAt(lines, (line) => line.to.y, top); at < lines.length; at++) {
    const line = lines[at];
    if (!line || line.to.y - longest > bottom) break;
    if (line.from.y > bottom) continue;
    const path = paths[Math.round(line.to.x / (nodeWidth + laneGap)) % paths.length];
    path?.moveTo(line.from.x + middle.x, line.from.y + middle.y);
    path?.lineTo(line.to.x + middle.x, Math.min(line.from.y + nodeHeight + 40, line.to.y + middle.y));
    path?.lineTo(line.to.x + middle.x, line.to.y + middle.y);
  }
  for (const [lane, path] of paths.entries()) {
    context.strokeStyle = colours.lanes[lane] ?? colours.edge;
    context.stroke(path);
  }
  context.globalAlpha = 1;
}

const alphaOf = ({ row }: CanvasNode, { matches }: Marked): number =>
  matches === null || (row.kind === "change" && matches.has(row.change.commitId)) ? 1 : 0.25;

/** A mark for each change, in the colour of its status; a ring for a stretch of history. */
function paintMarks(
  context: CanvasRenderingContext2D,
  nodes: readonly CanvasNode[],
  zoom: number,
  colours: Colours,
  marked: Marked,
): void {
  const radius = markRadius(zoom) / zoom;
  for (const node of nodes) {
    const change = node.row.kind === "change" ? node.row.change : null;
    const status = change?.metadata.status;
    const colour = change?.conflict
      ? colours.danger
      : status
        ? (colours.status[status] ?? colours.node)
        : colours.node;
    const circle = (size: number): void => {
      context.beginPath();
      context.arc(node.x + middle.x, node.y + middle.y, size, 0, 2 * Math.PI);
    };
    context.globalAlpha = alphaOf(node, marked);
    circle(radius);
    context.fillStyle = change ? colour : colours.surface;
    context.fill();
    if (!change) {
      context.lineWidth = 1.5 / zoom;
      context.strokeStyle = colour;
      context.stroke();
    }
    if (node.id !== marked.selected) continue;
    circle(radius + 3 / zoom);
    context.lineWidth = 2 / zoom;
    context.strokeStyle = colours.accent;
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** Beside every mark as long as rows leave room, and in any case beside what is chosen or pointed at. */
function paintLabels(
  context: CanvasRenderingContext2D,
  nodes: readonly CanvasNode[],
  { zoom, right }: { readonly zoom: number; readonly right: number },
  colours: Colours,
  marked: Marked,
): void {
  const isOwn = ({ id }: CanvasNode): boolean => id === marked.selected || id === marked.pointed;
  const read = areRowsRead(zoom) ? nodes : nodes.filter(isOwn);
  context.font = `${labelSize / zoom}px ${colours.font}`;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  // The selected text is drawn last, over those it is longer than.
  for (const node of [...read.filter((one) => !isOwn(one)), ...read.filter(isOwn)]) {
    const { words, left, room } = farLabel(node, nodes, zoom);
    const own = isOwn(node);
    const labelX = node.x + left;
    const shown = own ? words : inRoom(context, words, Math.min(room, right - labelX));
    const width = context.measureText(shown).width;
    // A full text that does not fit right of its mark is drawn at its left.
    const x = own && labelX + width > right ? node.x + nodeWidth - left - width : labelX;
    const y = node.y + middle.y;
    context.globalAlpha = alphaOf(node, marked);
    // Lines that pass below it do not strike it through.
    context.lineWidth = (own ? 6 : 3) / zoom;
    context.strokeStyle = colours.surface;
    context.strokeText(shown, x, y);
    context.fillStyle = own ? colours.accentText : colours.text;
    context.fillText(shown, x, y);
  }
  context.globalAlpha = 1;
}

/** As many of the words as have room; empty where not one sign has. @param room px */
function inRoom(context: CanvasRenderingContext2D, words: string, room: number): string {
  if (context.measureText(words).width <= room * 1.15) return words;
  let [fits, over] = [1, words.length];
  while (over - fits > 1) {
    const half = (fits + over) >> 1;
    if (context.measureText(shortened(words, half)).width <= room) fits = half;
    else over = half;
  }
  return fits === 1 ? "" : shortened(words, fits);
}

function paintRadar(
  context: CanvasRenderingContext2D,
  { radar }: Scene,
  zoom: number,
  colours: Colours,
): void {
  context.lineWidth = 2.5 / zoom;
  context.lineCap = "round";
  context.setLineDash([0.1 / zoom, 5 / zoom]);
  context.strokeStyle = colours.warning;
  for (const { from, to } of radar) {
    const [upper, lower] = from.y <= to.y ? [from, to] : [to, from];
    context.stroke(
      new Path2D(radarPath(upper.x + middle.x, upper.y + nodeHeight, lower.x + middle.x, lower.y)),
    );
  }
  context.setLineDash([]);
  context.lineCap = "butt";
}
