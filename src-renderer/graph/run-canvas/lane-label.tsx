/** A lane as it is drawn from its plan to its merge: its name in the margin, and to the right what is planned or done. */
import type { ComponentProps, ReactNode } from "react";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { RowDetail } from "#shared/graph/run-canvas/run-canvas.ts";
import { cx } from "../../kit/class-names.ts";

/** `ready`: approved, without a worker. */
export type LaneState = "planned" | "ready" | "running" | "done";

interface LaneProps extends ComponentProps<"div"> {
  /** px */
  readonly top: number;
  readonly height: number;
  readonly isSelected: boolean;
}

export const Lane = ({ top, height, isSelected, className, ...rest }: LaneProps) => (
  <div
    {...rest}
    className={cx("canvas-move absolute inset-x-0 border-b", className, isSelected && "bg-selected/40")}
    style={{ top, height }}
  />
);

interface LaneMarginProps extends ComponentProps<"div"> {
  /** px */
  readonly width: number;
  readonly isSelected: boolean;
}

/** The left end of a lane, with its name. Its words change often, and move nothing outside of it. */
export const LaneMargin = ({ width, isSelected, className, style, ...rest }: LaneMarginProps) => (
  <div
    {...rest}
    className={cx(
      "absolute inset-y-0 left-0 flex items-center gap-2 px-2 contain-strict",
      isSelected ? "bg-selected" : "bg-surface",
      className,
    )}
    style={{ ...style, width }}
  />
);

interface LaneLabelProps {
  readonly state: LaneState;
  readonly detail: RowDetail;
  readonly title: string;
  /** What is done, or will be; in one line only if there is room. */
  readonly doing: string;
  readonly tone?: "warning" | "muted" | "faint";
  /** Replaces `doing` in one line without room for it. */
  readonly short?: ReactNode;
  /** The last words of its agent, with enough height. */
  readonly quote?: string;
  readonly facts: ReactNode;
}

const titleColours: Readonly<Record<LaneState, string>> = {
  planned: "text-accent-text",
  ready: "text-muted",
  running: "",
  done: "text-muted",
};
const tones = { warning: "text-warning", muted: "text-muted", faint: "text-faint" } as const;

export function LaneLabel(props: LaneLabelProps) {
  const { state, detail, doing, tone = "muted", short, quote = "", facts } = props;
  const title = (className: string): ReactNode => (
    <span dir="auto" className={cx("min-w-0", className, titleColours[state])}>
      {shownLine(props.title) || "without a title"}
    </span>
  );
  const line = (className: string): ReactNode => (
    <span dir="auto" className={cx(className, tones[tone])} title={doing}>
      {doing}
    </span>
  );
  const figures = "flex shrink-0 items-center gap-1.5 text-xs text-faint tabular-nums";
  switch (detail) {
    case "line":
      return (
        <span className="flex w-full min-w-0 items-center gap-1.5">
          {title("truncate text-sm")}
          {short === undefined ? line("min-w-0 flex-1 basis-12 truncate text-xs") : short}
          <span className={cx(figures, "ml-auto pl-1")}>{facts}</span>
        </span>
      );
    case "two":
      return (
        <>
          {title("block w-full truncate font-medium")}
          <span className="flex w-full min-w-0 items-center gap-1.5">
            {line("min-w-0 flex-1 truncate text-xs")}
            <span className={cx(figures, "ml-auto pl-1")}>{facts}</span>
          </span>
        </>
      );
    case "three":
    case "full": {
      const isFull = detail === "full";
      return (
        <>
          {title(
            isFull
              ? "line-clamp-2 text-lg leading-5 font-medium break-words"
              : "block w-full truncate font-medium",
          )}
          {line(cx("w-full", isFull ? "line-clamp-2 text-sm" : "block truncate text-xs"))}
          {isFull && quote !== "" && (
            <span className="line-clamp-2 w-full text-xs text-faint italic">“{quote}”</span>
          )}
          <span className={cx(figures, "mt-0.5 h-[18px] flex-row-reverse justify-end")}>{facts}</span>
        </>
      );
    }
  }
}

/** In place of an avatar: a lane without a worker. */
export const LaneRing = ({ state, height }: { readonly state: LaneState; readonly height: number }) => (
  <span
    aria-hidden
    className={cx(
      "shrink-0 rounded-full border border-dashed",
      avatarSize(height) === 20 ? "size-5" : "size-[18px]",
      state === "planned" ? "border-accent" : "border-line-strong",
    )}
  />
);

/** px, by the height of a lane. */
export const avatarSize = (height: number): number => (height >= 36 ? 20 : 18);
