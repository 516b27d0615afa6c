/** The lines between a spine and its lanes, and those of messages. */
import { memo } from "react";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { CanvasLink, MessageArc, Point, RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { colourOf, laneColour } from "../../kit/avatar.tsx";
import { goToCard } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { inspect } from "../../state/selection-store.ts";
import { LaneEnds } from "./lane-track.tsx";

/** Leaves a spine downwards and comes into a lane along it. */
const downInto = (from: Point, to: Point): string => {
  const bend = Math.min(40, Math.max(12, (to.x - from.x) * 0.6));
  return `M ${from.x} ${from.y} C ${from.x + 2} ${(from.y + to.y) / 2 + 8}, ${to.x - bend} ${to.y}, ${to.x} ${to.y}`;
};

/** Leaves a lane along it and comes up into a spine. */
const upInto = (from: Point, to: Point): string => {
  const middle = (from.x + to.x) / 2;
  return `M ${from.x} ${from.y} C ${middle} ${from.y}, ${middle} ${to.y + Math.min(40, (from.y - to.y) * 0.5)}, ${to.x} ${to.y}`;
};

/** Goes up past the lanes that it gathers, and into a spine along it. */
const upAlong = (from: Point, to: Point): string => {
  const bend = to.x - from.x;
  return `M ${from.x} ${from.y} V ${to.y + bend} Q ${from.x} ${to.y}, ${to.x} ${to.y}`;
};

/** Leaves a lane along it, and comes into another one along that. */
const across = (from: Point, to: Point): string => {
  const middle = (from.x + to.x) / 2;
  return `M ${from.x} ${from.y} C ${middle} ${from.y}, ${middle} ${to.y}, ${to.x} ${to.y}`;
};

const pathOf = ({ kind, from, to }: Pick<CanvasLink, "kind" | "from" | "to">): string => {
  switch (kind) {
    case "begins":
      return downInto(from, to);
    case "forks":
      return across(from, to);
    case "gathers":
      return upAlong(from, to);
    case "ahead":
    case "merges":
      return upInto(from, to);
  }
};

/** Above the lanes and below their marks, which can be pressed where a line crosses them. */
export const CanvasLines = memo(function CanvasLines({
  rows,
  links,
  messages,
}: Pick<RunCanvas, "rows" | "links" | "messages">) {
  const workers = new Map(rows.map(({ id, worker }) => [id, worker]));
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: each message in it has its own
    <svg data-lines className="pointer-events-none absolute inset-0 z-[1] size-full overflow-visible">
      <g aria-hidden>
        {links.map((link) => (
          <LinkLine
            key={link.id}
            link={link}
            colour={laneColour(link.row === null ? null : (workers.get(link.row) ?? null))}
          />
        ))}
      </g>
      {messages.map((arc) => (
        <MessageLine key={arc.message.id} arc={arc} />
      ))}
      <LaneEnds rows={rows} />
    </svg>
  );
});

interface LinkLineProps {
  readonly link: CanvasLink;
  readonly colour: string;
}

const LinkLine = memo(function LinkLine({ link, colour }: LinkLineProps) {
  const { kind, to } = link;
  const isAhead = kind === "ahead" || kind === "gathers";
  return (
    <>
      <path
        className="canvas-move"
        d={pathOf(link)}
        fill="none"
        stroke={colour}
        strokeWidth={isAhead ? 1.25 : 2}
        strokeDasharray={isAhead ? "2 4" : undefined}
        opacity={kind === "gathers" ? 1 : isAhead ? 0.5 : 0.9}
      />
      {kind === "merges" && <circle className="canvas-move" cx={to.x} cy={to.y} r={4} fill={colour} />}
    </>
  );
});

const MessageLine = memo(function MessageLine({ arc: { message, from, to } }: { readonly arc: MessageArc }) {
  const d = upInto(from, to);
  // The sender's colour; the user has no lane.
  const colour = message.from === "you" ? "var(--text)" : colourOf(message.from);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: by keys a message is read at its lane and in its change
    <g className="cursor-pointer [pointer-events:visiblePainted]" onClick={() => openMessage(message.id)}>
      <title>{`${message.kind} from ${message.from} to ${message.to}: ${shownLine(message.text)}`}</title>
      <path className="canvas-move" d={d} fill="none" stroke="transparent" strokeWidth={12} />
      <path
        className="canvas-move"
        d={d}
        fill="none"
        stroke={colour}
        strokeWidth={1.5}
        strokeDasharray="5 3"
      />
      <circle className="canvas-move" cx={from.x} cy={from.y} r={4} fill={colour} />
    </g>
  );
});

/** The card that waits for an answer, else the change that the message is. */
function openMessage(id: string): void {
  if (useHost.getState().inbox.some((item) => item.id === id)) goToCard(id);
  else inspect(id);
}
