import type { BenchStatements } from "./answer-tools.ts";
import { plantedLine, type Seed } from "./seed.ts";

export interface Score {
  /** Planted mistakes that a comment names with its line and with a right relation. */
  readonly found: number;
  readonly missed: number;
  /** Comments on anything else, and suggestions where nothing was to be said. */
  readonly falseAlarms: number;
}

/** Maximum distance of a comment from the planted line, in lines: a finding often has a beginning and an end. */
const nearby = 3;

export function scoreOf(seed: Seed, statements: BenchStatements): Score {
  const planted = plantedLine(seed);
  const right = statements.comments.filter(
    ({ path, line, relation }) =>
      planted !== null &&
      path === seed.path &&
      Math.abs(line - planted.line) <= nearby &&
      seed.expected.includes(relation),
  ).length;
  return {
    found: Number(right > 0),
    missed: Number(planted !== null && right === 0),
    // Two comments on one matter are one too many.
    falseAlarms:
      statements.comments.length - Math.min(right, 1) + (planted === null ? statements.suggestions : 0),
  };
}

export const sumOf = (scores: readonly Score[]): Score =>
  scores.reduce(
    (sum, one) => ({
      found: sum.found + one.found,
      missed: sum.missed + one.missed,
      falseAlarms: sum.falseAlarms + one.falseAlarms,
    }),
    { found: 0, missed: 0, falseAlarms: 0 },
  );
