/** The card of a spent budget at the terminal: what ran out, and by how much a person extends it. */
import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import { totalTokens } from "#shared/domain/usage.ts";
import { microDollars } from "./command-line.ts";

type BudgetCard = Extract<InboxItem, { kind: "budget" }>;

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
export function spentOf({ spent, limitTokens, limitMicroDollars }: BudgetCard): string {
  const of = (limit: string | null): string => (limit === null ? "" : ` of ${limit}`);
  return [
    `${dollars(spent.microDollars)}${of(limitMicroDollars === null ? null : dollars(limitMicroDollars))}`,
    `${counted(totalTokens(spent.usage))}${of(limitTokens === null ? null : counted(limitTokens))} tokens`,
  ].join(", ");
}

/** What has to be said: `many dollars`, `many tokens`, or both. */
export function many(item: BudgetCard): string {
  const out = ranOut(item);
  return out.dollars && out.tokens
    ? "many dollars and how many tokens"
    : out.tokens
      ? "many tokens"
      : "many dollars";
}

export function example(item: BudgetCard): string {
  const out = ranOut(item);
  return out.dollars && out.tokens ? '"2.50 200k"' : out.tokens ? "200k" : "2.50";
}

/**
 * Adds to what ran out, on top of what is allowed or was spent, whichever is more, so that the run does not stop again at
 * once. What did not run out stays as it is.
 *
 * @returns null when the words are no amounts
 */
export function extended(item: BudgetCard, answer: string): CardAnswer | null {
  const out = ranOut(item);
  const words = answer.split(/\s+/u).filter((word) => word !== "");
  if (words.length !== Number(out.dollars) + Number(out.tokens)) return null;
  const [first = "", second = ""] = words;
  const more = out.dollars ? amountOf(first, microDollarsOf) : 0;
  const tokens = out.tokens ? amountOf(out.dollars ? second : first, tokensOf) : 0;
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
const amountOf = (word: string, parse: (word: string) => number | undefined): number | null | undefined =>
  word.toLowerCase() === "none" ? null : parse(word);

function microDollarsOf(word: string): number | undefined {
  try {
    return microDollars(word.replace(/^\$/u, ""));
  } catch {
    return undefined;
  }
}

function tokensOf(word: string): number | undefined {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?)([km]?)$/iu.exec(word.replaceAll(",", "")) ?? [];
  const count = Math.round(Number(digits) * ({ k: 1e3, m: 1e6 }[unit.toLowerCase()] ?? 1));
  return digits !== "" && count > 0 ? count : undefined;
}
