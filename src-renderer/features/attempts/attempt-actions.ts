/** What a user does with attempts: for the menu of a change, the palette and the comparison. */
import type { WorkerView } from "#shared/contract/views/run.ts";
import { client } from "../../client.ts";
import type { Action } from "../../registry/action.ts";
import { attemptOf, compareAttempts } from "../../state/attempts-store.ts";
import { recordWrite } from "../../state/edit-history.ts";
import { useHost, workersByChange } from "../../state/host-store.ts";
import { attempt, notify } from "../../state/notify.ts";
import { useSelection } from "../../state/selection-store.ts";

export async function chooseAttempt(worker: string): Promise<void> {
  const isChosen = await attempt(`${worker} was not chosen`, () =>
    recordWrite(`the choice of ${worker}`, client.attempt.choose({ worker })),
  );
  if (!isChosen) return;
  notify("info", `${worker} continues the task. The other attempts are abandoned. You can undo this.`);
}

export async function undoChoice(worker: string): Promise<void> {
  const isUndone = await attempt("The choice was not undone", () =>
    recordWrite(`undoing the choice of ${worker}`, client.attempt.undoChoice({ worker })),
  );
  if (!isUndone) return;
  notify("info", "All attempts are restored.");
}

/** The attempt that a change is in an active run; null for every other change. */
export function attemptAt(changeId: string | null) {
  const { run } = useHost.getState();
  if (!run || run.endedAt !== null || changeId === null) return null;
  const worker: WorkerView | undefined = workersByChange(run.workers).get(changeId);
  const found = worker && attemptOf(run, worker.name);
  return worker && found ? { worker: worker.name, ...found } : null;
}

const selected = () => attemptAt(useSelection.getState().selected);

export const attemptActions: readonly Action[] = [
  {
    id: "compare-attempts",
    title: "Compare the attempts at the selected task",
    group: "Run",
    words: "fork side by side choose diff",
    available: () => selected() !== null,
    run: () => {
      const found = selected();
      if (found) compareAttempts(found.worker);
    },
  },
  {
    id: "choose-attempt",
    title: "Choose the selected attempt",
    group: "Run",
    command: "attempt.choose",
    words: "fork pick take",
    available: () => selected()?.group.chosen === null,
    run: () => {
      const found = selected();
      if (found) void chooseAttempt(found.worker);
    },
  },
  {
    id: "undo-choice",
    title: "Undo the choice between attempts",
    group: "Run",
    command: "attempt.undoChoice",
    words: "fork bring back abandoned",
    available: () => selected()?.group.canUndo ?? false,
    run: () => {
      const found = selected();
      if (found) void undoChoice(found.worker);
    },
  },
];
