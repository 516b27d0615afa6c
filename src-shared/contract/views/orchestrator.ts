import type { Plan } from "../../domain/plan/plan.ts";
import type { Spent } from "../../domain/spending/usage.ts";
import type { Workflow } from "../../domain/workflow/workflow.ts";
import type { Stage } from "./stage.ts";

/** An orchestrator and the part of the run that it leads. (HOX-3.1) */
export interface OrchestratorView {
  readonly name: string;
  readonly parent: string | null;
  /** Letter of its level: A is the root. */
  readonly level: string;
  readonly title: string;
  /** The task of its parent's plan that was delegated to it; null for the root. */
  readonly task: string | null;
  /** `sleeping`: no process and no tokens until an event wakes it. `waiting`: for the user, or paused. */
  readonly state: "planned" | "active" | "sleeping" | "waiting" | "done";
  readonly activity: string;
  readonly stage: Stage;
  readonly phase: number;
  readonly tasksDone: number;
  readonly plan: Plan | null;
  readonly planApproved: boolean;
  /** The workflow of its plan; null before the plan is approved. */
  readonly workflow: Workflow | null;
  /** Change ids. */
  readonly base: string | null;
  readonly integration: string | null;
  /** By itself and all below it. */
  readonly spent: Spent;
}
