/** What judges said of lines: reviewers of a round, and seats of a validation. */
import type { ValidationView } from "#shared/contract/views/validation.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import type { Fold, FoldReview } from "#shared/domain/merge-request/fold.ts";
import type { LineRemark } from "#shared/domain/merge-request/line-remark.ts";
import { placedRemarks } from "./placed-remarks.ts";

export interface LineRemarkView extends Pick<LineRemark, "path" | "line" | "lastLine" | "text"> {
  readonly key: string;
  readonly who: string;
  /** What it came to, and when: “asks for changes in round 1”. */
  readonly words: string;
  /** What has come of it since; null: it stands. */
  readonly past: string | null;
  /** The line in its own words; absent where the remark was read from words alone. */
  readonly lineText?: string;
  /** It may be about the work of others: it is shown at its line or nowhere. */
  readonly isOnlyAtLine: boolean;
}

const whoOf = ({ by }: FoldReview, { name, parent }: Pick<WorkerView, "name" | "parent">): string =>
  by === "first" ? `The first reviewer of ${name}` : by === "parent" ? (parent ?? "The orchestrator") : "You";

const verdicts: Readonly<Record<FoldReview["verdict"], string>> = {
  approved: "approves",
  changes: "asks for changes",
  "passed-on": "escalates it",
};

function pastOf({ round }: FoldReview, fold: Fold): string | null {
  if (fold.round > round) return `The merge request was updated in round ${round + 1}`;
  return fold.state.stage === "merged" ? "The work was merged" : null;
}

/** What was said of a worker's rounds, oldest first. */
export function remarksInReviews(
  worker: WorkerView | null,
  paths: readonly string[],
): readonly LineRemarkView[] {
  const { fold } = worker ?? {};
  if (!worker || !fold) return [];
  return fold.reviews.flatMap((review) => {
    const { round, by, verdict } = review;
    if (by === "checks") return [];
    const origin = {
      ...{ who: whoOf(review, worker), words: `${verdicts[verdict]} in round ${round}` },
      ...{ past: pastOf(review, fold), isOnlyAtLine: false },
    };
    const remarks =
      review.lines ?? (round === fold.round && verdict === "changes" ? remarksInText(review, paths) : []);
    return remarks.map((remark, at) => ({
      ...{ path: remark.path, line: remark.line, lastLine: remark.lastLine, text: remark.text },
      ...("lineText" in remark ? { lineText: remark.lineText } : {}),
      ...origin,
      key: `${by} ${round} ${at}`,
    }));
  });
}

/** Of a round whose judge named lines in its words alone; earlier rounds saw other lines. */
const remarksInText = ({ words }: FoldReview, paths: readonly string[]) =>
  placedRemarks(words, paths).map((remark) => ({ ...remark, lastLine: remark.line }));

const votes: Readonly<Record<string, string>> = {
  approve: "approves",
  reject: "rejects",
  abstain: "abstains",
};

/**
 * What the seats said of lines of the commit that they judged.
 * @param isAboutIt whether the change that is shown is what they judged; lines of the result are those of the agents, too
 * @param past what has come of it since; null: it stands
 */
export const remarksBySeats = (
  validation: ValidationView | null,
  { isAboutIt, past }: { readonly isAboutIt: boolean; readonly past: string | null },
): readonly LineRemarkView[] =>
  (validation?.seats ?? []).flatMap(({ seat, vote, lines = [] }) =>
    lines.map(({ path, line, lastLine, lineText, text }, at) => ({
      ...{ path, line, lastLine, lineText, text, past },
      key: `${validation?.commitId} ${validation?.attempt} ${seat} ${at}`,
      who: seat,
      words: `${votes[vote] ?? "says"} in validation ${validation?.attempt}`,
      isOnlyAtLine: !isAboutIt,
    })),
  );
