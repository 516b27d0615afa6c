import { BookOpen, GitFork } from "lucide-react";
import type { ReactNode } from "react";
import type { WorkerView } from "#shared/contract/views/run.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { cx } from "./class-names.ts";

export type Tone = "neutral" | "accent" | "danger" | "warning" | "success" | "info";

const tones: Record<Tone, string> = {
  neutral: "bg-sunken text-muted border-line",
  accent: "bg-accent-soft text-accent-text border-accent/25",
  danger: "bg-danger-soft text-danger border-transparent",
  warning: "bg-warning-soft text-warning border-transparent",
  success: "bg-success-soft text-success border-transparent",
  info: "bg-info-soft text-info border-transparent",
};

interface BadgeProps {
  readonly tone?: Tone;
  readonly mono?: boolean;
  readonly title?: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Badge({ tone = "neutral", mono = false, title, className, children }: BadgeProps) {
  return (
    <span
      title={title}
      className={cx(
        "inline-flex h-[18px] max-w-44 min-w-5 shrink items-center gap-1 overflow-hidden rounded-sm border px-1.5 text-xs whitespace-nowrap",
        tones[tone],
        mono && "font-mono",
        className,
      )}
    >
      {typeof children === "string" ? <span className="truncate">{children}</span> : children}
    </span>
  );
}

interface AttemptBadgeProps {
  /** Counted from 1. */
  readonly nth: number;
  readonly of: number;
  readonly isChosen: boolean;
}

/** Which of several attempts at one task this is. */
export const AttemptBadge = ({ nth, of, isChosen }: AttemptBadgeProps) => (
  <Badge
    tone={isChosen ? "accent" : "info"}
    className="shrink-0"
    title={`Attempt ${nth} of ${of} at this task${isChosen ? ", which you chose" : ": you choose one"}`}
  >
    <GitFork size={10} aria-hidden />
    <span className="sr-only">attempt </span>
    {nth}/{of}
  </Badge>
);

interface LearnedMarkProps {
  readonly learned: WorkerView["learned"];
  readonly className?: string;
}

/** The number of patterns from earlier runs in a worker's prompt. Nothing without any. */
export function LearnedMark({ learned, className }: LearnedMarkProps) {
  if (learned.length === 0) return null;
  const words = `learned: ${learned.length}`;
  return (
    <span
      role="img"
      aria-label={words}
      title={[words, ...learned.map(({ id, title }) => shownLine(title ?? id))].join("\n")}
      className={cx("inline-flex shrink-0 items-center gap-0.5 text-xs text-faint tabular-nums", className)}
    >
      <BookOpen size={11} aria-hidden />
      {learned.length}
    </span>
  );
}
