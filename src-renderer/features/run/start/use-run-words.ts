import type { RunAgain } from "#shared/domain/run/run-again.ts";
import { useDraft } from "../../../state/drafts.ts";
import { useHost } from "../../../state/host-store.ts";
import { forgetRunDraft, type RunDraft } from "../../../state/run-draft.ts";

/**
 * The texts a run starts with: kept when the dialog closes, until a run was started with them.
 * @param again the run that is done once more
 * @param asked what another part of the window asks for; each has separate words
 */
export function useRunDraft(again: RunAgain | null, asked: RunDraft | null) {
  const repository = useHost((state) => state.repository?.path ?? "");
  const begun = { goal: (again ?? asked)?.goal ?? "", onto: (again ?? asked)?.onto ?? "" };
  const place = ["run", again === null ? "first" : "again", repository, begun.onto, begun.goal].join("\n");
  const [goal, setGoal, takeGoal] = useDraft(`${place}\ngoal`, begun.goal);
  const [onto, setOnto, takeOnto] = useDraft(`${place}\nonto`, begun.onto);
  const [idea, setIdea, takeIdea] = useDraft<string | null>(`${place}\nidea`, null);
  const takeOut = (): void => {
    takeGoal(goal);
    takeOnto(onto);
    takeIdea(idea);
  };
  return {
    ...{ goal, setGoal, onto, setOnto, idea, setIdea },
    /** A run was started with them. */
    onStarted(): void {
      takeOut();
      if (asked === null) return;
      asked.onStarted?.();
      forgetRunDraft();
    },
    /** Closed without a goal, nothing is kept; a requested text is requested again, unless the user edited it. */
    onClosed(): void {
      if (goal.trim() === "") takeOut();
      if (asked !== null && (goal.trim() === "" || goal === begun.goal)) forgetRunDraft();
    },
  };
}
