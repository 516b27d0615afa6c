/** Models that are configured and have no price: what is paid for them could not be held to a budget. (PLAN-4) */
import { UnknownModel } from "#shared/domain/spending/prices.ts";
import { noUsage } from "#shared/domain/spending/usage.ts";
import type { Config, ConfigObjection } from "../config/config-interface.ts";
import { priceOf } from "./price-table.ts";

/** One objection for each setting that names such a model. */
export function unpricedModels({ models, fold }: Config): readonly ConfigObjection[] {
  const named: readonly (readonly [string, string | null])[] = [
    ["models.default", models.default],
    ["models.orchestrator", models.orchestrator],
    ["models.validator", models.validator],
    ["fold.first_reviewer", fold.firstReviewer],
  ];
  return named.flatMap(([key, model]) => {
    if (model === null) return [];
    try {
      priceOf(noUsage, model);
      return [];
    } catch (error) {
      if (!(error instanceof UnknownModel)) throw error;
      return [
        {
          key,
          message: `"${key}" is ${JSON.stringify(model)}, a model without a known price, so it can't be used.`,
          remedy: error.message,
        },
      ];
    }
  });
}
