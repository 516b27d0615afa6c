/** What a run of a set came to, from what was seen of it. Pure. */
import { type MissingWork, missingWork } from "../../src-shared/domain/missing-work/missing-work.ts";
import { addSpent, nothingSpent, type Spent } from "../../src-shared/domain/spending/usage.ts";
import type { Feature } from "./feature.ts";
import type { CollidingPair, Landed, Truth } from "./repository.ts";
import type { Resolution } from "./script.ts";

/** A pair of features that the radar named, and when it did first. */
export interface NamedPair {
  readonly a: string;
  readonly b: string;
  /** ms since 1970. */
  readonly at: number;
}

/** When an agent last wrote a file, and when it first reported done. */
export interface AgentTimes {
  /** Path → ms since 1970. */
  readonly written: Readonly<Record<string, number>>;
  readonly done: number | null;
}

/** What one kind of requests cost, as in `plan`, `merge request ready`, `agents`. */
export interface Spending {
  readonly who: string;
  readonly spent: Spent;
}

/** What a run was seen to do. */
export interface Observed {
  readonly hasLanded: boolean;
  /** Why it did not land. */
  readonly stuck: string | null;
  readonly wallMs: number;
  readonly jj: number;
  readonly tokens: number;
  readonly microDollars: number;
  /** By who asked for what, in the order in which they began; null: a real model was asked, and nobody counted. */
  readonly spending: readonly Spending[] | null;
  readonly named: readonly NamedPair[];
  /** By feature. */
  readonly times: Readonly<Record<string, AgentTimes>>;
  readonly resolutions: readonly Resolution[];
  /** Cards that a user had to see to beyond saying yes. */
  readonly cards: number;
}

export interface Resolved {
  readonly own: number;
  readonly sibling: number;
  readonly integrator: number;
  readonly user: number;
}

export interface Score {
  /** Features whose tests pass on what landed, of all. */
  readonly passing: number;
  readonly features: number;
  /** Tests of the project that fail on what landed and passed before. */
  readonly newlyFailing: number;
  readonly lostLines: number;
  readonly lostTests: number;
  readonly truePairs: number;
  readonly namedPairs: number;
  /** Of the true ones. */
  readonly foundPairs: number;
  /** Of each found pair: seconds from the moment in which both had written until it was named. */
  readonly secondsToName: readonly number[];
  /** Found pairs that were named before either agent reported done. */
  readonly namedBeforeDone: number;
  readonly resolved: Resolved;
  readonly mostSides: number;
  readonly commits: number;
}

const keyOf = ({ a, b }: Pick<NamedPair, "a" | "b">): string => [a, b].sort().join(" ");

/** Pairs by truth against pairs that were named, and when. */
export function pairScore(
  pairs: readonly CollidingPair[],
  { named, times }: Pick<Observed, "named" | "times">,
): Pick<Score, "truePairs" | "namedPairs" | "foundPairs" | "secondsToName" | "namedBeforeDone"> {
  const found = pairs.flatMap((pair) => {
    const at = named.find((one) => keyOf(one) === keyOf(pair))?.at;
    return at === undefined ? [] : [{ ...pair, at }];
  });
  const both = [...found].map(({ a, b, at, files }) => {
    const agents = [times[a], times[b]];
    const written = agents.flatMap((agent) => files.flatMap((path) => agent?.written[path] ?? []));
    const done = agents.flatMap((agent) => agent?.done ?? []);
    return {
      seconds: (at - Math.max(...written)) / 1000,
      isEarly: at < Math.min(...done),
      isWritten: written.length > 0,
    };
  });
  return {
    truePairs: pairs.length,
    namedPairs: new Set(named.map(keyOf)).size,
    foundPairs: found.length,
    secondsToName: both.filter(({ isWritten }) => isWritten).map(({ seconds }) => Math.max(0, seconds)),
    namedBeforeDone: both.filter(({ isEarly }) => isEarly).length,
  };
}

/** Conflicts by who was asked to resolve them, a file each. */
export function resolvedBy(resolutions: readonly Resolution[], cards: number): Resolved {
  const count = (role: RegExp): number =>
    resolutions.filter((one) => role.test(one.role)).reduce((sum, { files }) => sum + files.length, 0);
  const [own, integrator] = [count(/^agent-/u), count(/^integrator/u)];
  return { own, sibling: count(/./u) - own - integrator, integrator, user: cards };
}

/** An orchestrator by the event that it answers, others by their role. */
export function askerOf({ role, prompt }: { readonly role: string; readonly prompt: string }): string {
  const [, event] = /^\[EVENT ([^\]]+)\]/u.exec(prompt) ?? [];
  return event ?? `${role.replace(/-\d+$/u, "")}s`;
}

/** What each kind of requests cost together. */
export function spendingBy(requests: readonly Spending[]): readonly Spending[] {
  const sums = new Map<string, Spent>();
  for (const { who, spent } of requests) sums.set(who, addSpent(sums.get(who) ?? nothingSpent, spent));
  return [...sums].map(([who, spent]) => ({ who, spent }));
}

/** What landed without, of what the features' patches add. */
export const lostWork = (
  features: readonly Feature[],
  { diffs }: Pick<Truth, "diffs">,
  landed: Pick<Landed, "diff">,
): readonly MissingWork[] =>
  missingWork({
    tasks: features.map(({ id, title }) => ({ worker: id, title, changeId: id, diff: diffs[id] ?? "" })),
    integrations: [],
    others: [],
    result: landed.diff,
    // A feature that moves a block takes away lines of others.
    buildsOn: (worker, other) => worker !== other && features.some(({ id, move }) => id === worker && move),
    isOnTop: () => false,
  });
