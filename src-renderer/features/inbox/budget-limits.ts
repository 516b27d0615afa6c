interface Amounts<Amount> {
  readonly tokens: Amount;
  readonly microDollars: Amount;
}

/** What is filled in: the limit that was reached, doubled as often as it needs; one that was not stays. */
export function proposedLimit(limit: number | null, spent: number): number | null {
  if (limit === null || spent < limit) return limit;
  return limit * 2 ** Math.max(1, Math.ceil(Math.log2((spent + 1) / Math.max(1, limit))));
}

/** Whether a run with these limits stands still as soon as it goes on. */
export const wouldStopAgain = (limits: Amounts<number | null>, spent: Amounts<number>): boolean =>
  (limits.tokens !== null && limits.tokens <= spent.tokens) ||
  (limits.microDollars !== null && limits.microDollars <= spent.microDollars);
