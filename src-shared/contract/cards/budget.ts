import { z } from "zod";
import type { Spent } from "../../domain/spending/usage.ts";
import { totalTokens } from "../../domain/spending/usage.ts";
import { parseDollars, parseTokens } from "../../domain/text/parse-amount.ts";
import { limit } from "../fields.ts";
import { type CardBase, type CardKind, decisionKeys, isNo, reject } from "./card.ts";

export interface BudgetCard extends CardBase {
  readonly kind: "budget";
  /** The budget's worker, with all below it; null: the run's. */
  readonly worker: string | null;
  readonly spent: Spent;
  readonly limitTokens: number | null;
  readonly limitMicroDollars: number | null;
  /** Work that is not among what was spent, in words. */
  readonly alsoUnmetered?: string;
}

const answer = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("extend"), tokens: limit, microDollars: limit }),
  reject,
]);
type BudgetAnswer = z.infer<typeof answer>;

export const budgetKind: CardKind<BudgetCard, BudgetAnswer> = {
  title: "Budget",
  tone: "danger",
  gate: null,
  answer,
  headline: ({ worker }) =>
    worker === null ? "The budget is used up" : `The budget of ${worker} is used up`,
  from: () => null,
  stopsRun: ({ worker }) => worker === null,
  options: () => [
    { key: decisionKeys.approve, typed: "5", does: "extends it by this amount" },
    { key: null, typed: "none", does: "removes the limit" },
    {
      key: decisionKeys.reject,
      typed: "n",
      does: "does not extend it: the run stops, or the agent stays paused",
    },
  ],
  lines: (item) => [
    `The budget of ${item.worker ?? "the run"} is used up: ${spentOf(item)}. The work is saved.`,
    item.worker === null
      ? "  No requests are sent until you decide. If you decline, the run stops."
      : `  Other agents continue. If you decline, ${item.worker} stays paused.`,
  ],
  question: (item) => `Extend by how ${many(item)}? (none: no limit, n: no)`,
  understand: (item, typed) =>
    isNo(typed) ? { kind: "reject", reason: "Not extended." } : extended(item, typed),
  whyNot: (item) =>
    `Invalid answer. Enter how ${many(item)} to add, such as ${example(item)}; none removes the limit, n declines.`,
  answerInAdvance: () => null,
};

interface RanOut {
  readonly dollars: boolean;
  readonly tokens: boolean;
}

/** Dollars where neither did: then the limits were changed after the card was shown. */
function ranOut({ spent, limitTokens, limitMicroDollars }: BudgetCard): RanOut {
  const tokens = limitTokens !== null && totalTokens(spent.usage) >= limitTokens;
  return {
    tokens,
    dollars: !tokens || (limitMicroDollars !== null && spent.microDollars >= limitMicroDollars),
  };
}

const dollars = (micro: number): string => `$${(micro / 1e6).toFixed(2)}`;
const counted = (count: number): string => count.toLocaleString("en-US");

/** `$6.00 of $5.00, 120,000 of 100,000 tokens` */
function spentOf({ spent, limitTokens, limitMicroDollars }: BudgetCard): string {
  const of = (limit: string | null): string => (limit === null ? "" : ` of ${limit}`);
  return [
    `${dollars(spent.microDollars)}${of(limitMicroDollars === null ? null : dollars(limitMicroDollars))}`,
    `${counted(totalTokens(spent.usage))}${of(limitTokens === null ? null : counted(limitTokens))} tokens`,
  ].join(", ");
}

/** The missing words: `many dollars`, `many tokens`, or both. */
function many(item: BudgetCard): string {
  const out = ranOut(item);
  return out.dollars && out.tokens
    ? "many dollars and how many tokens"
    : out.tokens
      ? "many tokens"
      : "many dollars";
}

function example(item: BudgetCard): string {
  const out = ranOut(item);
  return out.dollars && out.tokens ? '"2.50 200k"' : out.tokens ? "200k" : "2.50";
}

/**
 * Adds to what ran out, on top of what is allowed or was spent, whichever is more, so that the run does not stop again at
 * once. What did not run out stays as it is.
 *
 * @returns null when the words are no amounts
 */
function extended(item: BudgetCard, answer: string): BudgetAnswer | null {
  const out = ranOut(item);
  const words = answer.split(/\s+/u).filter((word) => word !== "");
  if (words.length !== Number(out.dollars) + Number(out.tokens)) return null;
  const [first = "", second = ""] = words;
  const more = out.dollars ? amountOf(first, (word) => parseDollars(word.replace(/^\$/u, ""))) : 0;
  const tokens = out.tokens ? amountOf(out.dollars ? second : first, parseTokens) : 0;
  if (more === undefined || tokens === undefined) return null;
  const { spent, limitMicroDollars, limitTokens } = item;
  return {
    kind: "extend",
    microDollars: out.dollars ? added(more, limitMicroDollars, spent.microDollars) : limitMicroDollars,
    tokens: out.tokens ? added(tokens, limitTokens, totalTokens(spent.usage)) : limitTokens,
  };
}

const added = (more: number | null, limit: number | null, spent: number): number | null =>
  more === null ? null : Math.max(limit ?? 0, spent) + more;

/** Null for `none`, undefined for what is no amount. */
const amountOf = (word: string, parse: (word: string) => number | null): number | null | undefined =>
  word.toLowerCase() === "none" ? null : (parse(word) ?? undefined);
