import { BookOpen } from "lucide-react";
import type { WorkerView } from "#shared/contract/views/run.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { cx } from "./class-names.ts";

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
