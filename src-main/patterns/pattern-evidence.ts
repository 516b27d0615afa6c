/** A pattern's claims on figures of runs, and what recorded runs say to them. */
import type { PatternEvidence } from "#shared/contract/views/pattern.ts";
import type { FittingRuns } from "#shared/domain/patterns/pattern-use.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { type RecordedRun, type RunFigure, runFigures } from "./patterns-interface.ts";

export interface Claim {
  readonly text: string;
  readonly figure: RunFigure;
  readonly holds: (value: number) => boolean;
}

const comparisons: Readonly<Record<string, (value: number, wanted: number) => boolean>> = {
  "=": (value, wanted) => value === wanted,
  "<=": (value, wanted) => value <= wanted,
  ">=": (value, wanted) => value >= wanted,
  "<": (value, wanted) => value < wanted,
  ">": (value, wanted) => value > wanted,
};

/** `agents = 3, mutation_conflicts <= 1` → claims. @throws Error that names the part that cannot be read */
export function readEvidence(evidence: string): readonly Claim[] {
  return evidence.split(",").map((part) => {
    const text = part.trim();
    const match = /^([a-z_]+)\s*(<=|>=|=|<|>)\s*(-?\d+(?:\.\d+)?)$/u.exec(text);
    const figure = runFigures.find((one) => one === match?.[1]);
    const compare = comparisons[match?.[2] ?? ""];
    if (!figure || !compare)
      throw new Error(`"${startOf(text, 100)}" is not a claim about ${runFigures.join(", ")}.`);
    const wanted = Number(match?.[3]);
    return { text, figure, holds: (value: number) => compare(value, wanted) };
  });
}

/** Other runs that all claims hold for, and how many of them completed. @param own is left out */
export function fittingRuns(
  claims: readonly Claim[],
  own: string,
  runs: readonly RecordedRun[],
): FittingRuns {
  const fitting = runs.filter(
    ({ run, figures }) => run !== own && claims.every(({ figure, holds }) => holds(figures[figure])),
  );
  return {
    runs: fitting.length,
    complete: fitting.filter(({ outcome }) => outcome === "complete").length,
  };
}

/** For the library; null where it names no claims that can be read. */
export function evidenceView(
  evidence: string | null,
  source: string | null,
  runs: readonly RecordedRun[],
): PatternEvidence | null {
  if (evidence === null) return null;
  try {
    const claims = readEvidence(evidence);
    const own = runs.find(({ run }) => run === source);
    return {
      claims: claims.map(({ text, figure }) => ({ text, value: own?.figures[figure] ?? null })),
      fitting: fittingRuns(claims, source ?? "", runs),
    };
  } catch {
    // The gate says what is wrong with it; a list shows the others.
    return null;
  }
}
