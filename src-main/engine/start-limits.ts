/** What a run may spend when it starts, and what its plan says of that. (PLAN-4, HOX-9.3) */
import type { CommandInput } from "#shared/contract/commands.ts";
import type { Settings } from "#shared/contract/views/settings.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { Budget } from "#shared/domain/spending/budget.ts";
import type { Config } from "../config/config-interface.ts";

/** The default: the repository's `[budget]`, else the app's settings. */
export const configuredLimits = ({ budget }: Config, settings: Settings): Budget => ({
  tokens: budget.maxTokens ?? settings.defaultTokens,
  microDollars: budget.maxUsd === null ? settings.defaultMicroDollars : Math.round(budget.maxUsd * 1e6),
});

/** The user's values win, including null for no limit. */
export function startLimits(
  { maxTokens, maxMicroDollars }: Pick<CommandInput<"run.start">, "maxTokens" | "maxMicroDollars">,
  configured: Budget,
): Budget {
  return {
    tokens: maxTokens === undefined ? configured.tokens : maxTokens,
    microDollars: maxMicroDollars === undefined ? configured.microDollars : maxMicroDollars,
  };
}

/**
 * A proposed plan with the budget that would apply if it were approved unchanged. The user's limits win over
 * the model's proposal, so editing the plan's budget edits what the run may spend.
 */
export const withinLimits = (plan: Plan, limits: Budget): Plan => ({
  ...plan,
  budget: {
    tokens: limits.tokens ?? plan.budget.tokens,
    microDollars: limits.microDollars ?? plan.budget.microDollars,
  },
});
