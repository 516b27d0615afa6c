import { addSpent, contextTokens, nothingSpent, type Spent, totalTokens, type Usage } from "./usage.ts";

/** US dollars per million tokens. */
interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
}

/** Rates that hold for requests whose whole input, cached or not, is at most `upTo` tokens; without it, any length. */
interface PriceTier extends Rates {
  readonly upTo?: number | undefined;
}

export interface PriceTable {
  /** Day on which the prices were read, `2026-11-20`. */
  readonly date: string;
  /** Model → tiers, shortest first. */
  readonly models: Readonly<Record<string, { readonly tiers: readonly PriceTier[] }>>;
}

/** The table has no price for this model, so nothing may be spent on it. */
export class UnknownModel extends Error {
  override readonly name = "UnknownModel";
  readonly model: string;
  constructor(model: string, table: PriceTable) {
    const known = Object.keys(table.models).sort().join(", ");
    super(
      `The price table of ${table.date} has no price for ${model}. Choose one of: ${known}; or add its prices.`,
    );
    this.model = model;
  }
}

/**
 * The tier that a request of this input length pays; undefined when the model or the length is not in the table.
 * @param model the name as the wire gives it; a date at its end (`-20261001`) is passed over.
 */
function tierOf(table: PriceTable, model: string, inputTokens: number): PriceTier | undefined {
  const name = [model, model.replace(/-\d{8}$/, "")].find((candidate) =>
    Object.hasOwn(table.models, candidate),
  );
  const tiers = name === undefined ? undefined : table.models[name]?.tiers;
  return tiers?.find((tier) => tier.upTo === undefined || inputTokens <= tier.upTo);
}

/** A dollar per million tokens is a million picodollars per token, an exact integer down to a millionth of a dollar. */
const picodollarsPerToken = (rate: number): number => Math.round(rate * 1e6);

/**
 * What one request cost, in whole micro-dollars (millionths of a US dollar), rounded up once, so that sums over
 * requests are exact and a budget is never overrun by rounding. (PLAN-4)
 * @param usage of one request; adding usages first would choose the wrong tier.
 * @throws UnknownModel when the table has no price for the model.
 */
export function costOf(table: PriceTable, model: string, usage: Usage): number {
  const tier = tierOf(table, model, contextTokens(usage));
  if (!tier) throw new UnknownModel(model, table);
  const picodollars =
    usage.input * picodollarsPerToken(tier.input) +
    usage.output * picodollarsPerToken(tier.output) +
    usage.cacheWrite5m * picodollarsPerToken(tier.cacheWrite5m) +
    usage.cacheWrite1h * picodollarsPerToken(tier.cacheWrite1h) +
    usage.cacheRead * picodollarsPerToken(tier.cacheRead);
  return Math.ceil(picodollars / 1e6);
}

/** Micro-dollars as people read them: `$1.84`, and four decimals below one cent. */
export function formatDollars(microDollars: number): string {
  const small = microDollars !== 0 && Math.abs(microDollars) < 10_000;
  return `${microDollars < 0 ? "−" : ""}$${(Math.abs(microDollars) / 1e6).toFixed(small ? 4 : 2)}`;
}

/**
 * How long the provider caches a conversation. Writing for an hour costs twice the input, for five minutes a
 * quarter more; reading costs next to nothing. So a worker that sleeps longer than five minutes between
 * events pays less with an hour, and one that is called again at once pays less with five minutes.
 */
const fiveMinutes = 5 * 60_000;
const hour = 60 * 60_000;
/** Number of sleeps that predict the next one. */
const remembered = 4;

/**
 * @param sleeps how long it slept between its events so far, in ms, oldest first; without any an hour is
 *   chosen, since plans wait for people and agents take their time
 */
export function cacheLifetime(sleeps: readonly number[]): "5m" | "1h" {
  const last = sleeps.slice(-remembered);
  if (last.length < 2) return "1h";
  return last.some((sleep) => sleep > fiveMinutes && sleep <= hour) ? "1h" : "5m";
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
