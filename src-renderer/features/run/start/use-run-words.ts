import type { RunAgain } from "#shared/domain/run/run-again.ts";
import { useDraft } from "../../../state/drafts.ts";
import { useHost } from "../../../state/host-store.ts";
import { forgetRunDraft, type RunDraft } from "../../../state/run-draft.ts";

/**
 * What a run is started with in words: they stand there again whatever closed the dialog, until a run was started with them.
 * @param again the run that is done once more
 * @param asked what another part of the window asks for; each has words of its own
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
    /** Without a goal nothing was begun; and what was asked for is asked for anew, unless somebody wrote in it. */
    onClosed(): void {
      if (goal.trim() === "") takeOut();
      if (asked !== null && (goal.trim() === "" || goal === begun.goal)) forgetRunDraft();
    },
  };
}
