import type { Priority } from "../graph-words/metadata.ts";
import type { Budget } from "../spending/budget.ts";
import type { WorkflowChoices } from "../workflow/workflow.ts";

/** What the root orchestrator proposes and the user approves (design section 3). */
export interface Plan {
  readonly goal: string;
  readonly summary: string;
  readonly orchestrators: { readonly count: number; readonly reason: string };
  /** Phase 0: shared types, interfaces and acceptance tests that all tasks inherit. */
  readonly contracts: {
    readonly title: string;
    readonly description: string;
    readonly files: readonly string[];
  };
  /** Phases 1 to N in order; the integration phase comes after them and is not in this list. */
  readonly phases: readonly { readonly number: number; readonly title: string }[];
  readonly tasks: readonly PlannedTask[];
  /** Null makes the plan invalid: integration is always planned. */
  readonly integration: { readonly title: string; readonly description: string } | null;
  readonly budget: Budget;
  /** Stages that its author or the user set differently from the default. */
  readonly workflow?: WorkflowChoices | undefined;
}

export interface PlannedTask {
  /** Short name that is unique in the plan; tasks refer to each other by it. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly phase: number;
  readonly priority: Priority;
  /** Files or globs that the task may touch. */
  readonly files: readonly string[];
  /** Ids of tasks that must be done before. */
  readonly after: readonly string[];
  /** A child orchestrator decomposes it further; else an agent works on it. (HYLO-10) */
  readonly delegate?: boolean | undefined;
  /** How many agents try it in parallel, for the user to choose; omitted: one. Not for a delegated task. */
  readonly attempts?: number | undefined;
  /** Its agent's initial context; omitted: only this task. */
  readonly context?: TaskContext | undefined;
  /** What that orchestrator and all below it may spend, within what is configured; an agent's task has none. */
  readonly budget?: Budget | undefined;
}

/** `inherit`: also the conversation of its orchestrator, as it was when the task was approved. */
export const taskContexts = ["fresh", "inherit"] as const;
/** The initial context of a task's agent. (HYLO-3) */
export type TaskContext = (typeof taskContexts)[number];

/** @param task one that says nothing begins fresh */
export const contextAt = ({
  context = "fresh",
}: {
  readonly context?: TaskContext | undefined;
}): TaskContext => context;

/**
 * What lists of tasks say of it.
 *
 * @param task one that begins fresh, as most do, is not worth a word
 */
export const contextNote = (task: { readonly context?: TaskContext | undefined }): string =>
  contextAt(task) === "inherit" ? "inherits the conversation" : "";
