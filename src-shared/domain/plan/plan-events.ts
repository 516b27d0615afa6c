/** The plan of each orchestrator of a run, its history, and the changes that bound its tasks. */

import type { AnyEvent } from "../any-event.ts";
import type { CheckResult } from "../conversation/conversation.ts";
import type { Plan } from "./plan.ts";
import type { PlanEdit } from "./plan-edit.ts";

/** A plan on its way to another one, kept while the graph is brought there. */
export interface Amendment {
  readonly before: Plan;
  readonly after: Plan;
  readonly edits: readonly PlanEdit[];
  /** The orchestrator that amends its own plan; omitted if the user does. */
  readonly by?: string | undefined;
}

/** Checks that ran on exactly a commit, so that they need not run on it again. */
interface CheckedCommit {
  readonly commitId: string;
  readonly checks: readonly CheckResult[];
}

/** What is one orchestrator's own. Plain JSON. */
export interface OwnFacts {
  readonly plan: Plan | null;
  readonly planApproved: boolean;
  /** Why plans were rejected, by round; empty without a reason. */
  readonly refusals: Readonly<Record<number, string>>;
  /** The first round whose tasks side by side touched each other. */
  readonly firstTouching: number | null;
  /** The amendment that is being made, or that a crash left to be finished. */
  readonly amendment: Amendment | null;
  /** How often it has written its contracts, and has corrected those that came into conflict. */
  readonly contractsWritten: number;
  readonly contractsCorrected: number;
  /** Change id of its contracts. */
  readonly base: string | null;
  /** Change id of what brings its tasks together. */
  readonly integration: string | null;
  /** Its tasks' merged result. */
  readonly merged: CheckedCommit | null;
  /** Change ids of the merge requests on its trunk, the lowest first. */
  readonly trunk: readonly string[];
}

export const noOwnFacts: OwnFacts = {
  plan: null,
  planApproved: false,
  refusals: {},
  firstTouching: null,
  amendment: null,
  contractsWritten: 0,
  contractsCorrected: 0,
  base: null,
  integration: null,
  merged: null,
  trunk: [],
};

/** By name of the orchestrator, the root's among them. */
export type Plans = Readonly<Record<string, OwnFacts>>;

export type PlanEvent = { readonly orchestrator: string } & (
  | { readonly kind: "PlanProposed"; readonly plan: Plan }
  | { readonly kind: "PlanApproved"; readonly plan: Plan }
  /** A plan that was proposed goes back to its author. */
  | { readonly kind: "PlanRefused"; readonly round: number; readonly reason: string }
  /** Tasks of a proposed plan touch each other. */
  | { readonly kind: "TouchingFound"; readonly round: number }
  /** An approved or proposed plan was edited by the user or its orchestrator. */
  | { readonly kind: "PlanRevised"; readonly plan: Plan }
  /** Kept before anything is written to the graph. */
  | { readonly kind: "AmendmentStarted"; readonly amendment: Amendment }
  /** The graph is as the plan says: it reads as amended from now on. */
  | { readonly kind: "AmendmentFinished"; readonly plan: Plan }
  | { readonly kind: "ContractsWritten"; readonly summary: string }
  | { readonly kind: "ContractsCorrected" }
  | { readonly kind: "BaseCreated"; readonly changeId: string }
  | { readonly kind: "IntegrationCreated"; readonly changeId: string }
  /** Every check ran on the tasks' merged result. */
  | { readonly kind: "MergedChecked"; readonly merged: CheckedCommit }
  /** A merge request was merged. */
  | { readonly kind: "TrunkExtended"; readonly changeId: string }
  | { readonly kind: "TrunkLeft"; readonly changeId: string }
);

/** Adds an event. A merged change is on the trunk once. */
export function reducePlans(plans: Plans, given: PlanEvent | AnyEvent): Plans {
  const event = given as PlanEvent;
  if (!("orchestrator" in event)) return plans;
  const before = Object.hasOwn(plans, event.orchestrator) ? plans[event.orchestrator] : undefined;
  const own = before ?? noOwnFacts;
  const after = reduceOwn(own, event);
  return after === own ? plans : { ...plans, [event.orchestrator]: after };
}

function reduceOwn(own: OwnFacts, event: PlanEvent): OwnFacts {
  switch (event.kind) {
    case "PlanProposed":
    case "PlanRevised":
      return { ...own, plan: event.plan };
    case "PlanApproved":
      return { ...own, plan: event.plan, planApproved: true };
    case "PlanRefused":
      return own.refusals[event.round] === event.reason
        ? own
        : { ...own, refusals: { ...own.refusals, [event.round]: event.reason } };
    case "TouchingFound":
      return own.firstTouching === null ? { ...own, firstTouching: event.round } : own;
    case "AmendmentStarted":
      return { ...own, amendment: event.amendment };
    case "AmendmentFinished":
      return { ...own, plan: event.plan, amendment: null };
    case "ContractsWritten":
      return { ...own, contractsWritten: own.contractsWritten + 1 };
    case "ContractsCorrected":
      return { ...own, contractsCorrected: own.contractsCorrected + 1 };
    case "BaseCreated":
      return own.base === event.changeId ? own : { ...own, base: event.changeId };
    case "IntegrationCreated":
      return own.integration === event.changeId ? own : { ...own, integration: event.changeId };
    case "MergedChecked":
      return { ...own, merged: event.merged };
    case "TrunkExtended":
      return own.trunk.includes(event.changeId) ? own : { ...own, trunk: [...own.trunk, event.changeId] };
    case "TrunkLeft":
      return own.trunk.includes(event.changeId)
        ? { ...own, trunk: own.trunk.filter((one) => one !== event.changeId) }
        : own;
    default:
      return own;
  }
}
