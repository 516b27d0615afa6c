import { ArrowRight, Check, Hourglass, TriangleAlert } from "lucide-react";
import type { Change } from "#shared/graph/change.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { IndeterminateLine } from "../../kit/progress.tsx";
import { subjectOf, useChange } from "../../state/graph-store.ts";
import { movedSentence, useMovedTask } from "./moved-task.ts";
import { previewSentence } from "./rebase-banner.tsx";
import { cancelRebase, carryOut, useRebase } from "./rebase-store.ts";

const shownRows = 12;

function Named({ change }: { readonly change: Change }) {
  return (
    <span className="min-w-0 truncate" title={subjectOf(change)}>
      <span className="font-mono text-xs text-faint">{change.changeId.slice(0, 8)}</span>{" "}
      <bdi>{subjectOf(change) || <em className="text-faint">no description</em>}</bdi>
    </span>
  );
}

/** Shows the result of a rebase before it happens, and asks. */
export function RebaseDialog() {
  const { asked, what, onto, preview } = useRebase();
  const moved = useChange(what);
  const target = useChange(onto);
  const task = useMovedTask(moved, target);
  if (!asked || !moved || !target) return null;
  const result = preview.kind === "known" ? preview.preview : null;
  const failed = preview.kind === "failed" ? preview.failure : null;
  return (
    <Dialog
      open
      onClose={cancelRebase}
      title="Rebase this change?"
      width="w-[560px]"
      actions={
        <>
          <Button onClick={cancelRebase}>Cancel</Button>
          <Button look="primary" autoFocus disabled={failed !== null} onClick={() => void carryOut()}>
            Rebase
          </Button>
        </>
      }
    >
      <div className="flex items-center gap-2 rounded-md bg-sunken px-3 py-2">
        <Named change={moved} />
        <ArrowRight size={14} className="shrink-0 text-faint" aria-label="onto" />
        <Named change={target} />
      </div>
      <div className="mt-3 h-0.5">
        {!result && !failed && <IndeterminateLine label="Previewing the result" />}
      </div>
      {failed && (
        <p role="alert" className="text-danger">
          {failed.text} {failed.remedy}
        </p>
      )}
      {result && <Result preview={preview} result={result} task={task} />}
    </Dialog>
  );
}

type Preview = ReturnType<typeof useRebase.getState>["preview"];

interface ResultProps {
  readonly preview: Preview;
  readonly result: Extract<Preview, { kind: "known" }>["preview"];
  readonly task: ReturnType<typeof useMovedTask>;
}

/** What the graph and the plan would be afterwards. */
function Result({ preview, result, task }: ResultProps) {
  const conflicts = new Set(result.newConflicts);
  const isNew = (change: Change): boolean => conflicts.has(change.changeId) || conflicts.has(change.commitId);
  return (
    <>
      <p className="flex items-center gap-2">
        {conflicts.size > 0 ? (
          <TriangleAlert size={15} className="text-warning" aria-hidden />
        ) : (
          <Check size={15} className="text-success" aria-hidden />
        )}
        {previewSentence(preview)}
      </p>
      {task && (
        <p className="mt-1.5 flex items-start gap-2">
          {task.fatal ? (
            <TriangleAlert size={15} className="mt-0.5 shrink-0 text-warning" aria-hidden />
          ) : (
            <Hourglass size={15} className="mt-0.5 shrink-0 text-muted" aria-hidden />
          )}
          {movedSentence(task)}
        </p>
      )}
      <ul className="mt-2 rounded-md border">
        {result.changes.slice(0, shownRows).map((change) => (
          <li key={change.commitId} className="flex h-7 items-center gap-2 border-b px-3 last:border-b-0">
            <Named change={change} />
            <span className="flex-1" />
            {change.conflict && (
              <span className="text-sm text-danger">
                {isNew(change) ? "new conflict" : "still in conflict"}
              </span>
            )}
          </li>
        ))}
        {result.changes.length > shownRows && (
          <li className="px-3 py-1 text-sm text-faint">and {result.changes.length - shownRows} more</li>
        )}
      </ul>
      {conflicts.size > 0 && (
        <p className="mt-2 text-muted">
          jj records conflicts in the change. You can resolve them later, or undo the rebase.
        </p>
      )}
    </>
  );
}
