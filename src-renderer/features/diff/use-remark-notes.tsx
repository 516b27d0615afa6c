import { useMemo } from "react";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { cx } from "../../kit/class-names.ts";
import type { DiffNote } from "../../kit/diff-view.tsx";
import { useLastValidation } from "../../state/change-validation.ts";
import { useHost } from "../../state/host-store.ts";
import { type LineRemarkView, remarksBySeats, remarksInReviews } from "./said-of-lines.ts";

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
