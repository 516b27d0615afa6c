/** What a planned task on its way would come to: a chip at the pointer, or a line above the graph for the keys. */
import { createPortal } from "react-dom";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { problemGroups } from "#shared/domain/plan/problem-texts.ts";
import { cx } from "../../kit/class-names.ts";
import { nextToPointer, withOutcome } from "../../kit/use-pointer-drag.ts";
import { useShownDraft } from "../../state/plan-draft.ts";
import { type LinkPreview, linkPreview, usePlanLink } from "../../state/plan-link-store.ts";

function Outcome({ plan, preview }: { readonly plan: Plan; readonly preview: LinkPreview | null }) {
  if (!preview) return null;
  const { outcome } = preview;
  if (outcome.kind === "refused")
    return <p className="text-sm text-danger">{outcome.words ?? outcome.reason}</p>;
  return (
    <>
      {problemGroups(outcome.plan, outcome.made).map((problem) => (
        <p key={problem.key} className="text-sm text-warning">
          {problem.text}
        </p>
      ))}
      {problemGroups(plan, outcome.gone).map((problem) => (
        <p key={problem.key} className="text-sm text-success">
          Resolves: {problem.text}
        </p>
      ))}
      {outcome.made.length + outcome.gone.length === 0 && (
        <p className="text-sm text-faint">No new problems</p>
      )}
    </>
  );
}

export function PlanLinkBanner() {
  const { by, task, target, point } = usePlanLink();
  const draft = useShownDraft();
  if (by === null || task === null || !draft) return null;
  const preview = linkPreview(draft, task, target);
  const title = draft.plan.tasks.find((one) => one.id === task)?.title ?? task;
  const keyboard = by === "keyboard";
  const banner = (
    <div
      role="status"
      className={cx(
        "pointer-events-none z-50 rounded-md border border-accent bg-raised px-2.5 py-1.5 shadow-pop",
        keyboard ? "absolute inset-x-3 top-2" : "fixed top-0 left-0 max-w-96",
      )}
      style={keyboard ? {} : nextToPointer(point, withOutcome)}
      data-drag-ghost
    >
      <p className="font-medium">
        {preview?.sentence ||
          (keyboard
            ? `“${title}” waits for …`
            : `“${title}”: drop it on the task it should wait for, or on a phase`)}
      </p>
      <Outcome plan={draft.plan} preview={preview} />
      {keyboard && <p className="text-sm text-faint">Arrow keys select, Enter applies, Escape cancels</p>}
    </div>
  );
  // Outside of the canvas, which is zoomed: the pointer's place is in px of the window.
  return keyboard ? banner : createPortal(banner, document.body);
}
