/**
 * What a worker works on and why: goal, plan, steps, decisions, branch. One value for each worker, run and
 * session outside Hox; computed on request, not stored. (AX-5, AX-9)
 */
import { contentHash } from "../text/content-hash.ts";
import type { Todo, TodoStatus } from "./todo.ts";

export interface PlanStep {
  /** Of the task in its plan. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly phase: number;
  readonly status: TodoStatus | "abandoned";
  /** Its worker, if there is one. */
  readonly worker: string | null;
}

export interface OrientationPlan {
  /** The orchestrator whose plan it is, or the file of a session outside Hox. */
  readonly source: string;
  readonly summary: string;
  readonly steps: readonly PlanStep[];
  /** The index of its own step, from 1 on; null if it has none. */
  readonly step: number | null;
  /** The text of a plan without separate steps; null: the steps are all. */
  readonly text: string | null;
}

interface OrientationDecision {
  readonly changeId: string;
  readonly title: string;
  readonly reason: string;
}

export interface Orientation {
  readonly goal: string;
  readonly plan: OrientationPlan | null;
  /** A run's are the tasks of its plan. */
  readonly todos: readonly Todo[];
  /** What binds the work, the oldest first. */
  readonly decisions: readonly OrientationDecision[];
  /** The target branch; null if it is unknown. */
  readonly branch: string | null;
  /** ms since 1970. */
  readonly updatedAt: number;
}

/** A plan in words, without how far it is. */
export function planText(plan: OrientationPlan): string {
  const steps = plan.steps.map(
    ({ title, description, phase }, place) =>
      `${place + 1}. ${title} (phase ${phase})${description.trim() === "" ? "" : `\n   ${description.trim().replaceAll("\n", "\n   ")}`}`,
  );
  return [plan.summary, ...steps, plan.text ?? ""].filter((part) => part.trim() !== "").join("\n");
}

const boxes: Readonly<Record<TodoStatus, string>> = { pending: "[ ]", in_progress: "[>]", completed: "[x]" };

/** A list of steps in words, a line for each. */
export const todosText = (todos: readonly Todo[]): string =>
  todos.map(({ content, status }) => `${boxes[status]} ${content}`).join("\n");

/** Equal as long as nothing has to be sent again. (AX-10) */
export interface OrientationHashes {
  /** Of goal and plan, however far it is. */
  readonly plan: string;
  readonly todos: string;
  readonly decisions: string;
}

export const orientationHashes = ({ goal, plan, todos, decisions }: Orientation): OrientationHashes => ({
  plan: contentHash(JSON.stringify([goal, plan === null ? null : [plan.source, planText(plan)]])),
  todos: contentHash(todosText(todos)),
  decisions: contentHash(JSON.stringify(decisions)),
});
