/** One key takes back the newest edit, whatever it was, and another one does it again. */
import {
  type DoneEdit,
  type Edit,
  editsWritten,
  forgetNewest,
  openHistory,
  recordEdit,
  step,
  useEditHistory,
} from "./edit-history.ts";
import { goToRow } from "./go-to.ts";
import { useHost } from "./host-store.ts";
import { notify, notifyFailure } from "./notify.ts";
import { type PlanDraft, usePlanDrafts } from "./plan-draft.ts";
import { takeBack } from "./take-back-landing.tsx";

type Way = "undo" | "redo";

export const newestEdit = (way: Way): DoneEdit | null =>
  useEditHistory.getState()[way === "undo" ? "past" : "future"].at(-1) ?? null;

/** One at a time: the next one is read from what this one has left. */
let isAtWork = false;

export async function goThroughHistory(way: Way): Promise<void> {
  if (isAtWork) return;
  isAtWork = true;
  await editsWritten();
  const newest = newestEdit(way);
  try {
    if (newest === null) return;
    const result = await takeBack(newest.edit, way);
    switch (result.kind) {
      case "done":
        step(way, result.next);
        tell(way, newest.what, result.next);
        break;
      case "refused": {
        const { at, why } = result;
        forgetNewest(way);
        takeWordsAway();
        takeWordsAway = notify(
          "warning",
          `${way === "undo" ? "Not undone" : "Not redone"}: ${newest.what}. ${why}`,
          null,
          at ? { action: { label: `Go to “${at.title}”`, run: () => goToRow(at.key) } } : {},
        );
        break;
      }
      case "kept":
        break;
      case "gone":
        forgetNewest(way);
        isAtWork = false;
        await goThroughHistory(way);
    }
  } catch (error) {
    forgetNewest(way);
    notifyFailure(`${way === "undo" ? "Not undone" : "Not redone"}: ${newest?.what}`, error);
  } finally {
    isAtWork = false;
  }
}

/** The undo button of a notice: undoes this edit only, however old it is. */
export function takeBackNow(edit: DoneEdit): void {
  if (newestEdit("undo") === edit) void goThroughHistory("undo");
  else
    notify(
      "info",
      `Not undone: ${edit.what}. You changed something else in the meantime.`,
      "Undo that first with Ctrl+Z.",
    );
}

/** Takes the words about the step before away: its button would mean another edit by now. */
let takeWordsAway: () => void = () => undefined;

function tell(way: Way, what: string, next: Edit): void {
  const back = way === "undo" ? "redo" : "undo";
  const button = {
    label: way === "undo" ? "Redo" : "Undo",
    run: () => void goThroughHistory(back),
  };
  takeWordsAway();
  takeWordsAway = notify(
    "info",
    `${way === "undo" ? "Undone" : "Redone"}: ${what}.`,
    null,
    next.kind === "final" ? {} : { action: button },
  );
}

/** Edits of a plan are made in many places; its draft counts them, and says when one was taken back there. */
function hearDraft(before: PlanDraft | undefined, draft: PlanDraft): void {
  if (!before || isAtWork || before.past === draft.past) return;
  const edit = { kind: "plan", item: draft.item.id } as const;
  const [past, future] = [draft.past.length, draft.future.length];
  if (past < before.past.length && isOf(newestEdit("undo"), edit.item)) step("undo", edit);
  else if (past > before.past.length && future < before.future.length && isOf(newestEdit("redo"), edit.item))
    step("redo", edit);
  else if (future === 0 && past >= before.past.length) recordEdit("the edit of the plan", edit);
}

const isOf = (newest: DoneEdit | null, item: string): boolean =>
  newest?.edit.kind === "plan" && newest.edit.item === item;

/** Every edit of the repository that is open. */
export function followEdits(): void {
  useHost.subscribe((state) => openHistory(state.repository?.path ?? null));
  usePlanDrafts.subscribe((state, before) => {
    for (const [id, draft] of state.drafts) hearDraft(before.drafts.get(id), draft);
  });
}
