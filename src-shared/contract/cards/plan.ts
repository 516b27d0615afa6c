import type { Ceremony } from "../../domain/ceremony-parts.ts";
import type { Plan } from "../../domain/plan.ts";
import type { CardBase } from "./card.ts";

export interface PlanCard extends CardBase {
  readonly kind: "plan";
  /** Whose plan it is. Absent on cards of earlier versions, which were all the root's. */
  readonly orchestrator?: string;
  readonly plan: Plan;
  /** What the run does beside its agents, and why. Absent on cards of earlier versions: all of it. */
  readonly ceremony?: Ceremony;
  readonly problems: readonly string[];
}
