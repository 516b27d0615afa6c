import type { JudgeModel } from "#shared/domain/agent-file/parse-agent-file.ts";
import { UnknownModel } from "#shared/domain/spending/prices.ts";
import { noUsage } from "#shared/domain/spending/usage.ts";
import { priceOf, shippedPrices } from "../model/price-table.ts";

/** The families by which Claude Code's files call models. */
const families = ["sonnet", "opus", "haiku"];

/** A model that has a price can be asked; a family means its model of the price table. (PLAN-4) */
export const judgeModel: JudgeModel = (name) => {
  const model = families.includes(name) ? (newestOf(name) ?? name) : name;
  try {
    priceOf(noUsage, model);
    return { model };
  } catch (error) {
    if (!(error instanceof UnknownModel)) throw error;
    return {
      mistake: `${JSON.stringify(name)} is a model without a known price, so it can't be used.`,
      remedy: error.message,
    };
  }
};

const newestOf = (family: string): string | undefined =>
  Object.keys(shippedPrices().models)
    .filter((model) => model.startsWith(`claude-${family}-`))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .at(-1);
