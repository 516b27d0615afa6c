import type { Plan } from "../../domain/plan/plan.ts";
import { inOrder } from "../../domain/plan/plan-order.ts";

interface Step {
  /** 0 for whoever waits for nobody of the phase. */
  readonly step: number;
  /** How many its phase has. */
  readonly of: number;
}

/** For each task, in the plan's order: how many of its own phase come one after another before it. */
export function stepsInPhase(plan: Plan): readonly Step[] {
  const steps = new Map<Plan["tasks"][number], number>();
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  // Of a plan with a circle, whoever comes first has nobody before it.
  for (const task of inOrder(plan.tasks)) {
    const before = task.after.flatMap((id) => {
      const other = byId.get(id);
      return other?.phase === task.phase ? (steps.get(other) ?? []) : [];
    });
    steps.set(task, 1 + Math.max(-1, ...before));
  }
  const last = new Map<number, number>();
  for (const [{ phase }, step] of steps) last.set(phase, Math.max(last.get(phase) ?? 0, step));
  return plan.tasks.map((task) => ({ step: steps.get(task) ?? 0, of: 1 + (last.get(task.phase) ?? 0) }));
}
