/** The plan of each orchestrator of a run, and the changes between which its tasks stand. */
import type { Plan } from "./plan.ts";

/** What is one orchestrator's own. Plain JSON. */
export interface OwnFacts {
  readonly plan: Plan | null;
  readonly planApproved: boolean;
  /** Change id of its contracts. */
  readonly base: string | null;
  /** Change id of what brings its tasks together. */
  readonly integration: string | null;
  /** Change ids of the folds on its trunk, the lowest first. */
  readonly trunk: readonly string[];
}

export const noOwnFacts: OwnFacts = {
  plan: null,
  planApproved: false,
  base: null,
  integration: null,
  trunk: [],
};

/** By name of the orchestrator, the root's among them. */
export type Plans = Readonly<Record<string, OwnFacts>>;

export type PlanEvent = { readonly orchestrator: string } & (
  | { readonly kind: "PlanProposed"; readonly plan: Plan }
  | { readonly kind: "PlanApproved"; readonly plan: Plan }
  /** An approved plan, or one that waits for approval, reads differently now; whoever changed it. */
  | { readonly kind: "PlanRevised"; readonly plan: Plan }
  | { readonly kind: "BaseCreated"; readonly changeId: string }
  | { readonly kind: "IntegrationCreated"; readonly changeId: string }
  /** A fold was merged. */
  | { readonly kind: "TrunkExtended"; readonly changeId: string }
  | { readonly kind: "TrunkLeft"; readonly changeId: string }
);

/** Adds an event. What was merged stands on the trunk once. */
export function reducePlans(plans: Plans, event: PlanEvent): Plans {
  const before = plans[event.orchestrator] ?? noOwnFacts;
  const after = reduceOwn(before, event);
  return after === before ? plans : { ...plans, [event.orchestrator]: after };
}

function reduceOwn(own: OwnFacts, event: PlanEvent): OwnFacts {
  switch (event.kind) {
    case "PlanProposed":
    case "PlanRevised":
      return { ...own, plan: event.plan };
    case "PlanApproved":
      return { ...own, plan: event.plan, planApproved: true };
    case "BaseCreated":
      return own.base === event.changeId ? own : { ...own, base: event.changeId };
    case "IntegrationCreated":
      return own.integration === event.changeId ? own : { ...own, integration: event.changeId };
    case "TrunkExtended":
      return own.trunk.includes(event.changeId) ? own : { ...own, trunk: [...own.trunk, event.changeId] };
    case "TrunkLeft":
      return own.trunk.includes(event.changeId)
        ? { ...own, trunk: own.trunk.filter((one) => one !== event.changeId) }
        : own;
  }
}
