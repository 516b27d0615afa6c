import { costOf } from "#shared/domain/spending/prices.ts";
import type { Usage } from "#shared/domain/spending/usage.ts";
import { loadPriceTable, type ModelTable } from "./price-table.ts";

let shipped: ModelTable | undefined;

/** The table that Hox brings along, read once. */
export function shippedPrices(): ModelTable {
  shipped ??= loadPriceTable();
  return shipped;
}

/**
 * Micro-dollars of one request by the shipped table. Throws `UnknownModel` for a model without a price: call it with
 * `noUsage` before a run starts, so that nothing is paid that cannot be counted.
 */
export const priceOf = (usage: Usage, model: string): number => costOf(shippedPrices(), model, usage);
