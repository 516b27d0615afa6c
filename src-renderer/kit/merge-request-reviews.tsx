import { Check, CornerUpRight, Undo2 } from "lucide-react";
import type { MergeRequestReview } from "#shared/domain/merge-request/merge-request.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";

const signs: Readonly<
  Record<MergeRequestReview["verdict"], { Icon: typeof Check; className: string; words: string }>
> = {
  approved: { Icon: Check, className: "text-success", words: "approved" },
  changes: { Icon: Undo2, className: "text-warning", words: "asked for changes" },
  "passed-on": { Icon: CornerUpRight, className: "text-info", words: "escalated to you" },
};

const names: Readonly<Record<MergeRequestReview["by"], string>> = {
  checks: "Checks",
  first: "First reviewer",
  parent: "Orchestrator",
  user: "You",
};

/** What was said about each round of a merge request, oldest first. Words are a model's or a user's, shown as text only. */
export function MergeRequestReviews({ reviews }: { readonly reviews: readonly MergeRequestReview[] }) {
  if (reviews.length === 0) return null;
  return (
    <ol className="flex flex-col gap-1.5" aria-label="Reviews">
      {reviews.map((review, index) => {
        const { Icon, className, words } = signs[review.verdict];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: reviews are only ever added at the end
          <li key={index} className="flex gap-2 text-sm" data-by={review.by} data-verdict={review.verdict}>
            <Icon size={13} className={`mt-[3px] shrink-0 ${className}`} aria-hidden />
            <div className="min-w-0">
              <p>
                <span className="font-medium">{names[review.by]}</span>{" "}
                <span className="text-muted">
                  {review.by === "first" && review.verdict === "passed-on" ? "could not review it" : words}
                </span>{" "}
                <span className="text-faint">in round {review.round}</span>
              </p>
              {review.words !== "" && (
                <p className="break-words whitespace-pre-wrap text-muted" data-selectable>
                  {shownText(review.words)}
                </p>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
