import { formatDollars } from "./prices.ts";

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

/** What a run was spent on, by who spent it. */
interface SpendingSplit {
  /** The agents that work on tasks. */
  readonly agents: Spent;
  /** Planning, contracts, answers, reviews, integration, votes, learning. */
  readonly overhead: Spent;
  /** The parts of the overhead, largest first. */
  readonly parts: readonly { readonly role: string; readonly spent: Spent }[];
  /** The overhead's shares of the total, 0 to 1; 0 if nothing was spent. */
  readonly ofDollars: number;
  readonly ofTokens: number;
}

interface Spender {
  readonly name: string;
  readonly role: string;
  /** Whose fork a fork is. */
  readonly parent?: string | null;
}

/**
 * @param workers of the run with their roles; a fork counts as its caller, and an unknown role as overhead
 */
export function splitSpending(
  workers: readonly Spender[],
  byWorker: Readonly<Record<string, Spent>>,
): SpendingSplit {
  const spenders = new Map(workers.map((one) => [one.name, one]));
  const roleOf = (name: string): string => {
    const { role = "other", parent = null } = spenders.get(name) ?? {};
    return role === "fork" && parent !== null && parent !== name ? roleOf(parent) : role;
  };
  const byRole = new Map<string, Spent>();
  for (const [name, spent] of Object.entries(byWorker)) {
    const role = roleOf(name);
    byRole.set(role, addSpent(byRole.get(role) ?? nothingSpent, spent));
  }
  const parts = [...byRole]
    .filter(([role]) => role !== "agent")
    .map(([role, spent]) => ({ role, spent }))
    .sort((one, other) => other.spent.microDollars - one.spent.microDollars);
  const agents = byRole.get("agent") ?? nothingSpent;
  const overhead = parts.reduce((sum, { spent }) => addSpent(sum, spent), nothingSpent);
  const share = (part: number, other: number): number => (part + other === 0 ? 0 : part / (part + other));
  return {
    agents,
    overhead,
    parts,
    ofDollars: share(overhead.microDollars, agents.microDollars),
    ofTokens: share(totalTokens(overhead.usage), totalTokens(agents.usage)),
  };
}

const percent = (share: number): string => `${Math.round(100 * share)}%`;

/** `Overhead: 38% of cost, 41% of tokens (orchestrator $0.02, validator $0.02)`. */
export function overheadLine({ ofDollars, ofTokens, parts }: SpendingSplit): string {
  const who = parts
    .filter(({ spent }) => spent.requests > 0)
    .map(({ role, spent }) => `${role} ${formatDollars(spent.microDollars)}`);
  return `Overhead: ${percent(ofDollars)} of cost, ${percent(ofTokens)} of tokens${who.length === 0 ? "" : ` (${who.join(", ")})`}`;
}
