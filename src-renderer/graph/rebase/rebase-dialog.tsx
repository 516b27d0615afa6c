import { ArrowRight, Check, Hourglass, TriangleAlert } from "lucide-react";
import { type PlanMoved, planAfterMove } from "#shared/domain/plan/plan-edit.ts";
import { formatPlanProblem } from "#shared/domain/plan/problem-texts.ts";
import type { Change } from "#shared/graph/change.ts";
import { runningTask } from "../../features/plan/plan-actions.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { IndeterminateLine } from "../../kit/load-failure.tsx";
import { nextToPointer, withOutcome } from "../../kit/use-pointer-drag.ts";
import { subjectOf, useChange } from "../../state/graph-store.ts";
import { useHost, workersByChange } from "../../state/host-store.ts";
import { cancelRebase, execute, type Preview as RebaseBannerPreview, useRebase } from "./rebase-store.ts";

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
          <Button look="primary" autoFocus disabled={failed !== null} onClick={() => void execute()}>
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

/**
 * What a rebase would do to the plan of the run, said before the drop.
 *
 * Null where no plan follows: not a task of the run, one that was begun, or one that waits for the same ones then.
 */
function useMovedTask(moved: Change | null, target: Change | null): PlanMoved | null {
  const run = useHost((state) => state.run);
  if (!run || !moved || !target) return null;
  const running = runningTask(run, moved.changeId);
  if (running?.status !== "open") return null;
  const { orchestrator, plan, task } = running;
  const below = runningTask(run, target.changeId);
  const workers = [...workersByChange(run.workers).values()];
  const isOpen = (id: string): boolean =>
    workers.some(
      (worker) =>
        worker.task === id &&
        worker.parent === orchestrator &&
        worker.status !== "done" &&
        worker.status !== "abandoned",
    );
  return planAfterMove(plan, task.id, below?.orchestrator === orchestrator ? [below.task.id] : [], isOpen);
}

function movedSentence({ plan, waitsFor, phase, fatal }: PlanMoved): string {
  if (fatal) return `The plan cannot follow: ${formatPlanProblem(plan, fatal)}`;
  const names = new Intl.ListFormat("en").format(waitsFor.map(({ title }) => `“${title}”`));
  const coming = phase === null ? "" : ` and moves to phase ${phase}`;
  return `It then waits for ${names || "no other task"}${coming}.`;
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

function previewSentence(preview: RebaseBannerPreview): string {
  switch (preview.kind) {
    case "none":
      return "";
    case "asking":
      return "previewing the result…";
    case "failed":
      return preview.failure.text;
    case "known": {
      const { changes, newConflicts, resolvedConflicts } = preview.preview;
      const moved =
        changes.length === 1 ? "1 change is rewritten" : `${changes.length} changes are rewritten`;
      const conflicts =
        newConflicts.length > 0
          ? `, ${newConflicts.length} new ${newConflicts.length === 1 ? "conflict" : "conflicts"}`
          : ", no new conflicts";
      const resolved = resolvedConflicts.length > 0 ? `, ${resolvedConflicts.length} resolved` : "";
      return moved + conflicts + resolved;
    }
  }
}

/**
 * What is being moved: a chip at the pointer while dragging, a line above the graph while picking by keyboard.
 */
export function RebaseBanner() {
  const { by, what, onto, band, refusal, point, preview } = useRebase();
  const moved = useChange(what);
  const target = useChange(onto);
  const task = useMovedTask(moved, target);
  if (by === null || !moved) return null;
  const subject = subjectOf(moved) || moved.changeId.slice(0, 8);
  const goal = target ? subjectOf(target) || target.changeId.slice(0, 8) : null;
  if (by === "keyboard") {
    return (
      <div
        role="status"
        className="flex min-h-9 shrink-0 items-center gap-2 border-b bg-accent-soft px-3 text-accent-text"
      >
        <span className="min-w-0 flex-1 truncate">
          Move <bdi className="font-semibold">{subject}</bdi> onto{" "}
          {goal ? (
            <bdi className="font-semibold">{goal}</bdi>
          ) : (
            "…choose its new parent with the arrow keys or a click"
          )}
          {refusal ? `: ${refusal}` : goal && preview.kind !== "none" ? `: ${previewSentence(preview)}` : ""}
          {task && !refusal && `. ${movedSentence(task)}`}
        </span>
        <span className="text-sm">Enter rebases, Escape cancels</span>
        <Button size="sm" look="ghost" onClick={cancelRebase}>
          Cancel
        </Button>
      </div>
    );
  }
  return (
    <div
      role="status"
      className="pointer-events-none fixed top-0 left-0 z-50 max-w-96 rounded-md border border-accent bg-raised px-2.5 py-1.5 shadow-pop"
      style={nextToPointer(point, withOutcome)}
      data-drag-ghost
    >
      <p dir="auto" title={subject} className="truncate font-medium">
        {subject}
      </p>
      <p className="truncate text-sm text-muted">
        {band
          ? `becomes ${band} priority`
          : refusal
            ? refusal
            : goal
              ? `onto ${goal}`
              : "drop it on its new parent, or on a priority in the queue"}
      </p>
      {goal && !refusal && <p className="text-sm text-faint">{previewSentence(preview) || "\u00a0"}</p>}
      {task && !refusal && <p className="text-sm text-muted">{movedSentence(task)}</p>}
    </div>
  );
}
