/** What is being moved: a chip at the pointer while dragging, a line above the graph while picking by keyboard. */
import { Button } from "../../kit/button.tsx";
import { nextToPointer, withOutcome } from "../../kit/drag-ghost.ts";
import { subjectOf, useChange } from "../../state/graph-store.ts";
import { movedSentence, useMovedTask } from "./moved-task.ts";
import type { Preview } from "./rebase-store.ts";
import { cancelRebase, useRebase } from "./rebase-store.ts";

export function previewSentence(preview: Preview): string {
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
