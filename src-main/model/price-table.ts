import { readFileSync } from "node:fs";
import { z } from "zod";
import { costOf, type PriceTable, UnknownModel } from "#shared/domain/spending/prices.ts";
import { noUsage, type Usage } from "#shared/domain/spending/usage.ts";
import { knownAgents, parseAgentChoice, type Wire } from "#shared/domain/worker/agent-choice.ts";
import type { Config, ConfigObjection } from "../config/config-interface.ts";
import { resourcePath } from "../config/resources-folder.ts";

const dollars = z.number().nonnegative();
const tier = z.strictObject({
  /** Absent in the last tier. */
  upTo: z.int().positive().optional(),
  input: dollars,
  output: dollars,
  cacheWrite5m: dollars,
  cacheWrite1h: dollars,
  cacheRead: dollars,
});
const providers = ["anthropic", "openai", "google"] as const;
const model = z.strictObject({
  provider: z.enum(providers).default("anthropic"),
  contextWindow: z.int().positive(),
  maxOutput: z.int().positive(),
  adaptiveThinking: z.boolean(),
  /** Whether it has an effort setting. */
  effort: z.boolean(),
  tiers: z
    .array(tier)
    .min(1)
    .refine(
      (tiers) => tiers.every((one, index) => (one.upTo === undefined) === (index === tiers.length - 1)),
      "every tier but the last needs upTo",
    ),
});
const table = z.strictObject({
  date: z.iso.date(),
  currency: z.literal("USD"),
  unit: z.literal("per million tokens"),
  /** Where the prices of each provider were read. */
  sources: z.partialRecord(z.enum(providers), z.string()),
  models: z.record(z.string(), model),
});

export type ModelFacts = Pick<
  z.infer<typeof model>,
  "contextWindow" | "maxOutput" | "adaptiveThinking" | "effort"
>;

/** Prices, with what else one has to know of a model to ask it. */
export type ModelTable = PriceTable & z.infer<typeof table>;

/** The price table is missing or broken; nothing may be spent without one. */
export class PriceTableBroken extends Error {
  override readonly name = "PriceTableBroken";
  constructor(path: string, reason: string) {
    super(`Invalid price table ${path}: ${reason}. Reinstall Hox or fix the file.`);
  }
}

export function loadPriceTable(path: string = resourcePath("prices.json")): ModelTable {
  try {
    return table.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new PriceTableBroken(path, error instanceof z.ZodError ? z.prettifyError(error) : String(error));
  }
}

/** What we assume of a model that the table does not know: the smallest window in use, and no thinking asked for. */
const unknown: ModelFacts = {
  contextWindow: 200_000,
  maxOutput: 32_000,
  adaptiveThinking: false,
  effort: false,
};

/** Facts of a model, also under a dated name such as `claude-haiku-5-5-20261001`. */
export const modelFacts =
  ({ models }: ModelTable) =>
  (name: string): ModelFacts =>
    models[name] ?? models[name.replace(/-\d{8}$/, "")] ?? unknown;

let shipped: ModelTable | undefined;

const providerOf: Readonly<Record<Wire, (typeof providers)[number]>> = {
  anthropic: "anthropic",
  "openai-responses": "openai",
  "openai-chat": "openai",
  gemini: "google",
};

/**
 * The part of the table that Hox brings along for the models behind a wire.
 *
 * @param wire default: that of Hox's own agent
 */
export function shippedPrices(wire: Wire = "anthropic"): ModelTable {
  shipped ??= loadPriceTable();
  const models = Object.entries(shipped.models).filter(([, { provider }]) => provider === providerOf[wire]);
  return { ...shipped, models: Object.fromEntries(models) };
}

/**
 * Micro-dollars of one request by the shipped table. Throws `UnknownModel` for a model without a price: call it with
 * `noUsage` before a run starts, so that nothing is paid that cannot be counted.
 */
export const priceOf = (usage: Usage, model: string, wire?: Wire): number =>
  costOf(shippedPrices(wire), model, usage);

/**
 * Models that are configured and have no price: what is paid for them could not be held to a budget. (PLAN-4)
 *
 * One objection for each setting that names such a model.
 */
export function unpricedModels({ models, mergeRequests, agent }: Config): readonly ConfigObjection[] {
  const others = [...knownAgents, ...agent.map(({ name }) => name)];
  const own = parseAgentChoice(models.agent ?? "", others).agent === null ? models.agent : null;
  const named: readonly (readonly [string, string | null])[] = [
    ["models.default", models.default],
    ["models.orchestrator", models.orchestrator],
    // What an agent of another make costs is known when it is chosen.
    ["models.agent", own],
    ["models.validator", models.validator],
    ["merge_requests.first_reviewer", mergeRequests.firstReviewer],
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
