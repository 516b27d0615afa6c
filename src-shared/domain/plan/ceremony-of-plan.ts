/**
 * What a goal needs beside its agents: contracts, reviews, an integrator, seats, learning. One pure function says it from
 * the plan, what the repository says and the configuration, each with its reason; what only the result shows (whether
 * something is left to integrate, how large and risky it is, whether the run taught anything) is said by
 * `ceremony-result.ts`. Deterministic checks are no part of it: they run whatever it says. (docs/decisions/0012)
 */

import type { Ceremony, CeremonyChoice } from "../ceremony/ceremony-parts.ts";
import { type CeremonyRules, decided, forcedOf } from "../ceremony/ceremony-rules.ts";
import { shownName } from "../text/shown-text.ts";
import type { Plan } from "./plan.ts";
import { mayMeet } from "./plan-check.ts";
import { namesIn, type RepositoryWords, sharedBetween } from "./shared-names.ts";

/** What the repository says about a plan. */
interface CeremonyFacts extends RepositoryWords {
  /** A part's result is reviewed by its parent as one. */
  readonly isPart: boolean;
}

/**
 * What a run, or a part of one, needs. (docs/decisions/0012)
 *
 * The configuration forces; else a person's wish holds; else the author's, who may ask for more than the plan does, and
 * for less only of contracts; else what the plan and the repository say.
 */
export function ceremonyOf(plan: Plan, ground: CeremonyFacts, rules: CeremonyRules): Ceremony {
  const byPlan = askedByPlan(plan, ground);
  const forced = forcedOf(rules);
  return {
    contracts: decided("contracts", byPlan.contracts, plan.ceremony, forced),
    reviews: decided("reviews", byPlan.reviews, plan.ceremony, forced),
    integrator: decided("integrator", byPlan.integrator, plan.ceremony, forced),
    seats: decided("seats", byPlan.seats, plan.ceremony, forced),
    learning: decided("learning", byPlan.learning, plan.ceremony, forced),
  };
}

function askedByPlan(plan: Plan, ground: CeremonyFacts): Ceremony {
  const { tasks } = plan;
  const shared = sharedBetween(plan, ground);
  const unowned = unownedByTasks(plan);
  const [first] = shared;
  return {
    contracts: {
      by: "plan",
      value: first ? "write" : "none",
      reason: first
        ? `${first.text}${shared.length > 1 ? `, and ${shared.length - 1} more like that` : ""}.`
        : tasks.length < 2
          ? "One task shares nothing with anybody."
          : "No tasks side by side name anything in common that the repository does not have yet.",
    },
    reviews: reviewsAsked(plan, shared.length > 0, ground.isPart),
    integrator:
      unowned === null
        ? {
            by: "plan",
            value: "needed",
            reason:
              tasks.length < 2
                ? "One task has nothing to be brought together with, unless a check fails."
                : "Said after the merge: a conflict, a failed check, or a name that several tasks touch.",
          }
        : {
            by: "plan",
            value: "always",
            reason: `The integration is to work on ${shownName(unowned)}, which is no task's.`,
          },
    seats: { by: "plan", value: "by-result", reason: "One, and all where the result is large or risky." },
    learning: {
      by: "plan",
      value: "taught",
      reason: "Only after a conflict, a repair, a question, an override or a rejected review.",
    },
  };
}

/** So many tasks can be judged in one look at what they come to. */
const oneLook = 3;

/** A review of its own is for work that others build on, or that would be lost in the result. */
function reviewsAsked({ tasks }: Plan, isShared: boolean, isPart: boolean): CeremonyChoice<"reviews"> {
  const asResult = (reason: string) => ({ by: "plan", value: "result", reason }) as const;
  const judges = isPart ? "its parent reviews that" : "its seats judge that";
  if (tasks.length < 2)
    return asResult(`One task is the whole ${isPart ? "part" : "result"}, and ${judges}.`);
  const each = (reason: string) => ({ by: "plan", value: "each", reason }) as const;
  const [first] = tasks;
  if (isShared || tasks.some(({ after, phase }) => after.length > 0 || phase !== first?.phase))
    return each("What one task leaves, others build on.");
  if (tasks.length > oneLook || tasks.some(({ delegate }) => delegate === true))
    return each("The result is too much for one look.");
  return asResult(`Nobody builds on another's work, and ${tasks.length} tasks are one look: ${judges}.`);
}

/** A path of which the integration speaks and that no task and no contract may touch; null when there is none. */
function unownedByTasks(plan: Plan): string | null {
  if (plan.integration === null) return null;
  const claims = [...plan.contracts.files, ...plan.tasks.flatMap(({ files }) => files)];
  const paths = [...namesIn(`${plan.integration.title}\n${plan.integration.description}`)].filter(
    (name) => !name.startsWith("/") && (name.includes("/") || /\.[a-z]{1,5}$/u.test(name)),
  );
  return paths.find((path) => !claims.some((claim) => mayMeet(claim, path))) ?? null;
}

/** The plan without what its author says in a person's name. */
export function asProposed(plan: Plan): Plan {
  const { ceremony, ...rest } = plan;
  if (ceremony === undefined) return plan;
  return {
    ...rest,
    ceremony: Object.fromEntries(
      Object.entries(ceremony).flatMap(([part, wish]) =>
        wish === undefined ? [] : [[part, { value: wish.value, reason: wish.reason }]],
      ),
    ),
  };
}
