/** A pattern's claims on figures of runs, and what recorded runs say to them. */
import type { PatternEvidence, RunsSeen } from "#shared/contract/views/pattern.ts";
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
      throw new Error(`"${startOf(text, 100)}" is no claim on ${runFigures.join(", ")}.`);
    const wanted = Number(match?.[3]);
    return { text, figure, holds: (value: number) => compare(value, wanted) };
  });
}

export interface Effect {
  /** Other runs that all claims hold for. */
  readonly fitting: RunsSeen;
  readonly others: RunsSeen;
}

/** How runs went that the claims hold for, beside those that they do not. @param own is left out */
export function effectOf(claims: readonly Claim[], own: string, runs: readonly RecordedRun[]): Effect {
  const fits = (run: RecordedRun): boolean => claims.every(({ figure, holds }) => holds(run.figures[figure]));
  const rest = runs.filter(({ run }) => run !== own);
  return { fitting: seen(rest.filter(fits)), others: seen(rest.filter((run) => !fits(run))) };
}

function seen(runs: readonly RecordedRun[]): RunsSeen {
  const scores = runs.flatMap(({ score }) => score ?? []);
  return {
    runs: runs.length,
    succeeded: runs.filter(({ outcome }) => outcome === "complete").length,
    meanScore:
      scores.length === 0
        ? null
        : Math.round((scores.reduce((sum, score) => sum + score, 0) / scores.length) * 1000) / 1000,
  };
}

/** In a sentence for a card. */
export function effectWords({ fitting, others }: Effect): string {
  if (fitting.runs === 0) return "no other recorded run fits it yet";
  const beside = others.runs === 0 ? "" : `; of ${others.runs} beside them ${seenWords(others)}`;
  return `${seenWords(fitting)} of ${fitting.runs} other runs that fit${beside}`;
}

const seenWords = ({ succeeded, meanScore }: RunsSeen): string =>
  `${succeeded} succeeded${meanScore === null ? "" : ` (mean score ${meanScore.toFixed(2)})`}`;

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
      ...effectOf(claims, source ?? "", runs),
    };
  } catch {
    // The gate says what is wrong with it; a list shows the others.
    return null;
  }
}
