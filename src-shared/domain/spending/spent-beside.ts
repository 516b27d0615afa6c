/** A run's cost split into agents and overhead. (docs/decisions/0012) */
import { formatDollars } from "./prices.ts";
import { addSpent, nothingSpent, type Spent, totalTokens } from "./usage.ts";

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
