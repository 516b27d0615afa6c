/** What a rebase would do to the plan of the run, said before the drop. */
import { type PlanMoved, planAfterMove } from "#shared/domain/plan/plan-edit.ts";
import { formatPlanProblem } from "#shared/domain/plan/problem-words.ts";
import type { Change } from "#shared/graph/change.ts";
import { runningTask } from "../../features/plan/plan-actions.ts";
import { useHost, workersByChange } from "../../state/host-store.ts";

/** Null where no plan follows: not a task of the run, one that was begun, or one that waits for the same ones then. */
export function useMovedTask(moved: Change | null, target: Change | null): PlanMoved | null {
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

export function movedSentence({ plan, waitsFor, phase, fatal }: PlanMoved): string {
  if (fatal) return `The plan cannot follow: ${formatPlanProblem(plan, fatal)}`;
  const names = new Intl.ListFormat("en").format(waitsFor.map(({ title }) => `“${title}”`));
  const coming = phase === null ? "" : ` and moves to phase ${phase}`;
  return `It then waits for ${names || "no other task"}${coming}.`;
}
