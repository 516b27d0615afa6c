import { Maximize2 } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { client } from "../../client.ts";
import { IconButton } from "../../kit/button.tsx";
import { type DiffNote, DiffView } from "../../kit/diff-view.tsx";
import { addFinder } from "../../kit/find/find-store.ts";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { IndeterminateLine } from "../../kit/progress.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { useShownTheme } from "../../kit/theme.ts";
import { useComments } from "../../state/comments.ts";
import { useWorkerOf } from "../../state/host-store.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { CommentCard } from "../archangel/comment-card.tsx";
import { BinaryFile } from "../diff/binary-file.tsx";
import { showDiff, useDiff } from "../diff/diff-store.ts";
import { useRemarkNotes } from "../diff/use-remark-notes.tsx";

const inherited =
  "This change edits no files. Its conflict comes from its parents. Open the sides with the badge above or from a file in Details.";

/** What was only said in words stands in the wide view. */
const noPaths: readonly string[] = [];

interface DiffPanelProps {
  readonly changeId: string;
  readonly commitId: string;
  readonly conflict: boolean;
}

/** The diff of one commit against its parents, with what archangels and judges say of its lines. */
export function DiffPanel({ changeId, commitId, conflict }: DiffPanelProps) {
  const theme = useShownTheme();
  const [layout, setLayout] = useState<"unified" | "split">("unified");
  const frame = useFindInWideDiff(changeId);
  const loaded = useLoaded(commitId, () => client.change.diff({ commitId }));
  const value = shownValue(loaded);
  const comments = useCommentNotes(changeId);
  const remarks = useRemarkNotes({ changeId, commitId }, useWorkerOf(changeId), noPaths);
  const notes = useMemo(() => [...comments, ...remarks], [comments, remarks]);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (!value) return <IndeterminateLine label="Loading the diff" />;
  return (
    <div ref={frame}>
      <div className="flex items-center justify-between gap-2 px-3 py-2">
        <span className="text-sm text-faint">
          {value.truncated
            ? "Only the first files are shown here. Open the full diff to see all of them."
            : ""}
        </span>
        <span className="flex-1" />
        <IconButton
          label="Open the full diff"
          keys="alt+r"
          className="size-6"
          icon={<Maximize2 size={13} />}
          onClick={() => showDiff(changeId)}
        />
        <Segmented
          label="Layout of the diff"
          value={layout}
          options={[
            { value: "unified", label: "Unified" },
            { value: "split", label: "Split" },
          ]}
          onChange={setLayout}
        />
      </div>
      <DiffView
        diff={value.diff}
        notes={notes}
        theme={theme}
        layout={layout}
        onOpenLong={(path) => showDiff(changeId, path)}
        renderBinary={(path, source) => <BinaryFile commitId={commitId} path={path} source={source} />}
        {...(conflict ? { empty: inherited } : {})}
      />
    </div>
  );
}

/** Only the wide view has every file, so finding goes on there. */
function useFindInWideDiff(changeId: string) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const open = (): void => {
      useDiff.setState({ isFindWanted: true });
      showDiff(changeId);
    };
    const panel = (): HTMLElement | null => frame.current?.closest<HTMLElement>("[role=tabpanel]") ?? null;
    return addFinder({ frame: panel, open, step: open });
  }, [changeId]);
  return frame;
}

/** Comments at their lines. What is resolved, or about no line that is there, stands in the list of comments alone. */
function useCommentNotes(changeId: string): readonly DiffNote[] {
  const comments = useComments(changeId);
  return useMemo(
    () =>
      comments.flatMap((comment) =>
        comment.path === null || comment.line === null || comment.isResolved
          ? []
          : [
              {
                key: comment.id,
                path: comment.path,
                line: comment.line,
                content: <CommentCard comment={comment} isAtLine />,
              },
            ],
      ),
    [comments],
  );
}
