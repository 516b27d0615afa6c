import { useMemo } from "react";
import type { WorkerView } from "#shared/contract/views/run.ts";
import type { LineRemark } from "#shared/domain/merge-request/line-remark.ts";
import type { MergeRequest, MergeRequestReview } from "#shared/domain/merge-request/merge-request.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import type { ValidationView } from "#shared/domain/validation/panel.ts";
import type { Change } from "#shared/graph/change.ts";
import { cx } from "../../kit/class-names.ts";
import type { DiffNote } from "../../kit/diff-view.tsx";
import { useLastValidation } from "../../state/change-validation.ts";
import { useHost } from "../../state/host-store.ts";

/** What judges said of lines of a change, each at its line with who says it, also when a later round has answered it. */
export function useRemarkNotes(
  { changeId, commitId }: Pick<Change, "changeId" | "commitId">,
  worker: WorkerView | null,
  paths: readonly string[],
): readonly DiffNote[] {
  const ofRun = useHost(({ run, otherRuns }) =>
    [...(run ? [run] : []), ...otherRuns.map((one) => one.run)].find(
      ({ integration, workers }) =>
        integration === changeId || workers.some((one) => one.changeId === changeId),
    ),
  );
  const alone = useLastValidation(changeId);
  return useMemo(() => {
    const isResult = ofRun?.integration === changeId;
    return [
      ...remarksInReviews(worker, paths),
      ...remarksBySeats(ofRun?.validation ?? null, { isAboutIt: isResult, past: null }),
      ...remarksBySeats(alone?.validation ?? null, {
        isAboutIt: true,
        past: alone?.commitId === commitId ? null : "The change has a new commit",
      }),
    ].map(noteOf);
  }, [ofRun, alone, worker, paths, changeId, commitId]);
}

/** What judges said of lines: reviewers of a round, and seats of a validation. */
interface LineRemarkView extends Pick<LineRemark, "path" | "line" | "lastLine" | "text"> {
  readonly key: string;
  readonly who: string;
  /** What it came to, and when: “asks for changes in round 1”. */
  readonly words: string;
  /** What happened to it since; null: it applies. */
  readonly past: string | null;
  /** The line in its own words; absent where the remark was read from words alone. */
  readonly lineText?: string;
  /** It may be about the work of others: it is shown at its line or nowhere. */
  readonly isOnlyAtLine: boolean;
}

const whoOf = ({ by }: MergeRequestReview, { name, parent }: Pick<WorkerView, "name" | "parent">): string =>
  by === "first" ? `The first reviewer of ${name}` : by === "parent" ? (parent ?? "The orchestrator") : "You";

const verdicts: Readonly<Record<MergeRequestReview["verdict"], string>> = {
  approved: "approves",
  changes: "asks for changes",
  "passed-on": "escalates it",
};

function pastOf({ round }: MergeRequestReview, mergeRequest: MergeRequest): string | null {
  if (mergeRequest.round > round) return `The merge request was updated in round ${round + 1}`;
  return mergeRequest.state.stage === "merged" ? "The work was merged" : null;
}

/** What was said of a worker's rounds, oldest first. */
function remarksInReviews(worker: WorkerView | null, paths: readonly string[]): readonly LineRemarkView[] {
  const { mergeRequest } = worker ?? {};
  if (!worker || !mergeRequest) return [];
  return mergeRequest.reviews.flatMap((review) => {
    const { round, by, verdict } = review;
    if (by === "checks") return [];
    const origin = {
      ...{ who: whoOf(review, worker), words: `${verdicts[verdict]} in round ${round}` },
      ...{ past: pastOf(review, mergeRequest), isOnlyAtLine: false },
    };
    const remarks =
      review.lines ??
      (round === mergeRequest.round && verdict === "changes" ? remarksInText(review, paths) : []);
    return remarks.map((remark, at) => ({
      ...{ path: remark.path, line: remark.line, lastLine: remark.lastLine, text: remark.text },
      ...("lineText" in remark ? { lineText: remark.lineText } : {}),
      ...origin,
      key: `${by} ${round} ${at}`,
    }));
  });
}

/** Of a round whose judge named lines in its words alone; earlier rounds saw other lines. */
const remarksInText = ({ words }: MergeRequestReview, paths: readonly string[]) =>
  placedRemarks(words, paths).map((remark) => ({ ...remark, lastLine: remark.line }));

interface PlacedRemark {
  readonly path: string;
  readonly line: number;
  /** The paragraph that names the line. */
  readonly text: string;
}

const escaped = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/gu, "\\$&");

/**
 * Where a reviewer's words are about lines: `src/api.ts:12`, `src/api.ts, line 12`.
 *
 * @param paths of the files that the words may be about; the longest name that fits is meant
 */
export function placedRemarks(words: string, paths: readonly string[]): readonly PlacedRemark[] {
  const pathsByLength = paths.toSorted((one, other) => other.length - one.length);
  return words
    .split(/\n(?=[ \t]*(?:[-*•]|\d+[.)])\s)|\n{2,}/u)
    .map((paragraph) => paragraph.trim())
    .flatMap((text) => {
      const places = new Map<string, PlacedRemark>();
      let rest = text;
      for (const path of pathsByLength) {
        const form = new RegExp(`(?<![\\w/.-])${escaped(path)}\`?(?::|,? lines? )(\\d+)`, "gu");
        for (const [, digits] of rest.matchAll(form)) {
          const line = Number(digits);
          if (line > 0) places.set(`${path}:${line}`, { path, line, text });
        }
        rest = rest.replaceAll(form, "");
      }
      return [...places.values()];
    });
}

const votes: Readonly<Record<string, string>> = {
  approve: "approves",
  reject: "rejects",
  abstain: "abstains",
};

/**
 * What the seats said of lines of the commit that they judged.
 * @param isAboutIt whether the change that is shown is what they judged; lines of the result are those of the agents, too
 * @param past what happened to it since; null: it applies
 */
const remarksBySeats = (
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

const noteOf = (remark: LineRemarkView): DiffNote => ({
  ...{ key: remark.key, path: remark.path, line: remark.line, isOnlyAtLine: remark.isOnlyAtLine },
  ...(remark.lineText === undefined ? {} : { lineText: remark.lineText }),
  content: <RemarkCard remark={remark} />,
});

function RemarkCard({ remark }: { readonly remark: LineRemarkView }) {
  const { who, words, past, line, lastLine, text } = remark;
  return (
    <article
      aria-label={`Comment by ${who}`}
      data-past={past === null ? undefined : true}
      className={cx(
        "rounded-lg border px-2.5 py-2 font-sans text-sm",
        past === null ? "border-warning bg-warning-soft text-text" : "bg-sunken text-muted",
      )}
    >
      <p>
        <span className="font-medium">{who}</span> {words}
        {lastLine > line && `, on lines ${line} to ${lastLine}`}
      </p>
      <p className="break-words whitespace-pre-wrap" data-selectable>
        {shownText(text)}
      </p>
      {past !== null && <p className="text-xs">{past}.</p>}
    </article>
  );
}
