import { attempt } from "./attempt.ts";
import type { Case, Family, Verdict } from "./case.ts";

/** All tries of one case. */
export interface Tally {
  readonly family: string;
  readonly case: string;
  readonly source: string;
  readonly tried: number;
  readonly refused: number;
  readonly bounded: number;
  readonly failed: number;
  /** How it failed, or where it was bounded, once each. */
  readonly messages: readonly string[];
  /** Why it could not be tried. */
  readonly impossible: string | null;
}

const ways = 4;

/** Tries a case as often as is wanted. */
export async function tally(family: Family, one: Case, tries: number): Promise<Tally> {
  const impossible = (await one.impossible?.()) ?? null;
  const verdicts: Verdict[] = [];
  if (impossible === null) for (let index = 0; index < tries; index++) verdicts.push(await attempt(one));
  const of = (kind: Verdict["kind"]): number => verdicts.filter((verdict) => verdict.kind === kind).length;
  const words = (verdict: Verdict): readonly string[] =>
    verdict.kind === "failed" ? [verdict.how] : verdict.kind === "bounded" ? [verdict.at] : [];
  // What failed is said before what was only bounded.
  const ordered = verdicts.toSorted(
    (one, other) => Number(other.kind === "failed") - Number(one.kind === "failed"),
  );
  return {
    family: family.name,
    case: one.name,
    source: one.source,
    tried: verdicts.length,
    refused: of("refused"),
    bounded: of("bounded"),
    failed: of("failed"),
    messages: [...new Set(ordered.flatMap(words))].slice(0, ways),
    impossible,
  };
}
