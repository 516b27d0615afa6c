/** Tokens of one request as the wire reports them. The input is the sum of the first four. */
export interface Usage {
  readonly input: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly output: number;
}

export const noUsage: Usage = { input: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 0 };

/** Adds two usages field by field. */
const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
  cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
  cacheRead: a.cacheRead + b.cacheRead,
  output: a.output + b.output,
});

/** All tokens, input and output, cached or not: what a token budget counts. (PLAN-4) */
export const totalTokens = (usage: Usage): number =>
  usage.input + usage.cacheWrite5m + usage.cacheWrite1h + usage.cacheRead + usage.output;

/** Tokens in the model's window at this request: the measure of context use. */
export const contextTokens = (usage: Usage): number =>
  usage.input + usage.cacheWrite5m + usage.cacheWrite1h + usage.cacheRead;

/** Share of a request that the provider had cached. */
export const cachedShare = (usage: Usage): number => {
  const whole = contextTokens(usage);
  return whole === 0 ? 0 : usage.cacheRead / whole;
};

/** Money and tokens spent so far. Micro-dollars are millionths of a US dollar, so sums are exact. */
export interface Spent {
  readonly usage: Usage;
  readonly microDollars: number;
  readonly requests: number;
}

export const nothingSpent: Spent = { usage: noUsage, microDollars: 0, requests: 0 };

export const addSpent = (a: Spent, b: Spent): Spent => ({
  usage: addUsage(a.usage, b.usage),
  microDollars: a.microDollars + b.microDollars,
  requests: a.requests + b.requests,
});

/** When this much had been spent: ms since 1970, micro-dollars. */
export type SpendingPoint = readonly [at: number, microDollars: number];

const maxPoints = 240;

/**
 * Adds a point in place. When there are too many, half of them are kept in a new list, evenly over the whole time: the first and
 * the newest are always among them.
 */
export function withPoint(curve: SpendingPoint[], point: SpendingPoint): SpendingPoint[] {
  curve.push(point);
  if (curve.length <= maxPoints) return curve;
  const from = curve[0]?.[0] ?? 0;
  const span = Math.max(1, point[0] - from);
  const partOf = (one: SpendingPoint | undefined): number | null =>
    one === undefined ? null : Math.floor(((one[0] - from) / span) * (maxPoints / 2));
  return curve.filter((one, index) => index === 0 || partOf(one) !== partOf(curve[index + 1]));
}
