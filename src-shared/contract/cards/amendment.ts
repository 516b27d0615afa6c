import type { PlannedTask } from "../../domain/plan.ts";
import type { CardBase } from "./card.ts";

/** An orchestrator wants more tasks in its plan while it is carried out. (HYLO-10) */
export interface AmendmentCard extends CardBase {
  readonly kind: "amendment";
  readonly from: string;
  /** Those with `delegate` get an orchestrator of their own, the others an agent each. */
  readonly tasks: readonly PlannedTask[];
  readonly reason: string;
  /** Why a person is asked although such plans pass by themselves; empty where they never do. */
  readonly problems: readonly string[];
}
