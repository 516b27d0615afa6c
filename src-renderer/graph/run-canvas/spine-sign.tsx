import { GitMerge, type LucideIcon, PlaneLanding, Square, Undo2, Vote } from "lucide-react";
import type { TrackMark } from "#shared/domain/timeline/timeline.ts";
import { cx } from "../../kit/class-names.ts";
import { toneOfMark } from "./mark-texts.ts";

/** A past event at its time, with the sign of its kind. */
export function SpineSign({ mark }: { readonly mark: TrackMark | undefined }) {
  const Icon = mark && spineIcons[mark.kind];
  const tone = mark === undefined ? "plain" : toneOfMark(mark);
  return Icon ? (
    <i
      data-spine-sign={mark.kind}
      className={cx(
        "flex size-[18px] items-center justify-center rounded-full border-2 bg-surface",
        spineTones[tone],
      )}
    >
      <Icon size={10} strokeWidth={3} aria-hidden />
    </i>
  ) : (
    <i className="size-[10px] rounded-full border-2 border-text bg-surface" />
  );
}

const spineTones = {
  plain: "border-text",
  good: "border-success text-success",
  danger: "border-danger text-danger",
} as const;

const spineIcons: Partial<Record<TrackMark["kind"], LucideIcon>> = {
  integrated: GitMerge,
  judged: Vote,
  landed: PlaneLanding,
  "landing-redone": PlaneLanding,
  "landing-undone": Undo2,
  ended: Square,
};
