/** Files of a plan that another run works on at the same time. (HOX-3.1b) */
import { shownLine, shownName } from "../text/shown-text.ts";
import type { Plan } from "./plan.ts";
import { mayMeet } from "./plan-check.ts";
import type { PlanProblem } from "./plan-problem.ts";

/** A path or glob that another run may write to. */
export interface TakenClaim {
  readonly claim: string;
  /** Its owner: `agent-2`, or an orchestrator for its contracts. */
  readonly by: string;
  /** The root of that run. */
  readonly root: string;
  /** What it is for. */
  readonly title: string;
}

/** A plan's own claims: its tasks', and its contracts' where they are written. */
const claimsOf = (plan: Plan, hasContracts: boolean) => [
  ...(hasContracts ? [{ task: null, claims: plan.contracts.files }] : []),
  ...plan.tasks.map(({ id, files }) => ({ task: id, claims: files })),
];

/**
 * A problem for each task, and one for the contracts, whose files another run may change: until that one is
 * over the plan cannot be approved, because both would have different versions of them.
 *
 * @param taken claims of other active runs' plans
 * @param hasContracts whether the plan's contracts are written
 */
export function takenProblems(
  plan: Plan,
  taken: readonly TakenClaim[],
  hasContracts: boolean,
): readonly PlanProblem[] {
  return claimsOf(plan, hasContracts).flatMap(({ task, claims }) => {
    const meets = claims.flatMap((claim) => {
      const other = taken.find((one) => mayMeet(claim, one.claim));
      return other === undefined ? [] : [{ claim, other }];
    });
    const [first] = meets;
    if (first === undefined) return [];
    const files = meets.map(({ claim }) => shownName(claim)).join(", ");
    const { by, root, title } = first.other;
    const who = by === root ? root : `${by} of ${root}`;
    return [
      {
        severity: "fatal" as const,
        kind: "taken" as const,
        tasks: task === null ? [] : [task],
        claims: meets.map(({ claim }) => claim),
        text: `${task === null ? "The contracts claim" : `"${task}" claims`} ${files}, where ${who} works (${shownLine(title)}). Wait until the run of ${root} is over, plan other files, or steer that run.`,
      },
    ];
  });
}
