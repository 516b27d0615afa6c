import type { PatternComparison } from "#shared/contract/views/comparison.ts";
import {
  type ComparedFigure,
  type ComparisonOutcome,
  type FigureComparison,
  figureWord,
} from "#shared/domain/comparison/compare-runs.ts";
import type { Spread } from "#shared/domain/comparison/rank-shift.ts";
import { client } from "../../client.ts";
import { dollars, duration } from "../../kit/amounts.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { usePatternMoment } from "../../state/pattern-library.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";

/** Whether runs that were told a pattern went otherwise than others of the same kind of work; said so where it does not. */
export function PatternComparisonSection({ id }: { readonly id: string }) {
  const moment = usePatternMoment();
  const loaded = useLoaded(`${id} ${moment}`, () => client.pattern.compare({ id }));
  const comparison = shownValue(loaded);
  return (
    <section aria-label="Does it help?">
      <h3 className="mb-1.5 text-sm font-medium text-muted">Does it help?</h3>
      {loaded.kind === "failed" ? (
        <LoadFailure failure={loaded.failure} again={loaded.again} />
      ) : comparison === null ? (
        <div className="min-h-10" aria-busy="true" />
      ) : (
        <ComparedRuns comparison={comparison} />
      )}
    </section>
  );
}

/** With and without it, with the spread; the sentence says where nothing can be said. */
export function ComparedRuns({
  comparison: { runs, complete, figures, summary },
}: {
  readonly comparison: PatternComparison;
}) {
  const isCompared = runs.with > 0 && runs.without > 0;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-pretty" data-selectable>
        {summary}
      </p>
      <p className="text-sm text-muted first-letter:uppercase">
        {runsWords(runs.with, complete.with)} with it; {runsWords(runs.without, complete.without)} of the same
        kind of work without it.
      </p>
      {isCompared && (
        <table className="w-full text-sm tabular-nums" data-selectable>
          <thead>
            <tr className="text-left text-xs text-faint">
              <th className="py-1 font-normal">Median, and the middle half</th>
              <th className="py-1 text-right font-normal">With it</th>
              <th className="py-1 text-right font-normal">Without it</th>
              <th className="w-1/4 py-1 pl-4 font-normal">
                <span className="sr-only">Drawn</span>
              </th>
              <th className="py-1 text-right font-normal">These runs show</th>
            </tr>
          </thead>
          <tbody>
            {figures.map((row) => (
              <FigureRow key={row.figure} row={row} />
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

const runsWords = (runs: number, complete: number): string =>
  runs === 0 ? "no run" : `${runs} ${runs === 1 ? "run" : "runs"}, ${complete} of them to the goal,`;

const outcomes: Readonly<Record<ComparisonOutcome, { readonly tone: Tone; readonly words: string }>> = {
  better: { tone: "success", words: "better" },
  worse: { tone: "danger", words: "worse" },
  "no-difference": { tone: "neutral", words: "no difference" },
  "too-few": { tone: "neutral", words: "too few runs" },
};

function FigureRow({ row: { figure, with: having, without, outcome } }: { readonly row: FigureComparison }) {
  const { tone, words } = outcomes[outcome];
  return (
    <tr className="border-t" data-compared={figure} data-outcome={outcome}>
      <th scope="row" className="py-1 pr-2 text-left font-normal text-muted first-letter:uppercase">
        {figureWord(figure)}
      </th>
      <td className="py-1 text-right">{spreadWords(figure, having)}</td>
      <td className="py-1 pl-3 text-right">{spreadWords(figure, without)}</td>
      <td className="py-1 pl-4">{having && without && <Drawn having={having} without={without} />}</td>
      <td className="py-1 pl-3 text-right">
        <Badge tone={tone}>{words}</Badge>
      </td>
    </tr>
  );
}

const plain = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 2 });
const shown: Readonly<Record<ComparedFigure, (value: number) => string>> = {
  microDollars: dollars,
  ms: duration,
  iterations: plain,
  conflicts: plain,
  failedChecks: plain,
  score: (value) => value.toFixed(2),
};

function spreadWords(figure: ComparedFigure, spread: Spread | null) {
  if (spread === null) return <span className="text-faint">–</span>;
  const write = shown[figure];
  return (
    <>
      {write(spread.median)}{" "}
      <span className="text-xs text-faint">
        {spread.low === spread.high ? "" : `${write(spread.low)} to ${write(spread.high)}`}
      </span>
    </>
  );
}

/** Both spreads on one scale from 0 on; the figures beside it say the same. */
function Drawn({ having, without }: { readonly having: Spread; readonly without: Spread }) {
  const most = Math.max(having.high, without.high, Number.MIN_VALUE);
  const at = (value: number): number => (100 * value) / most;
  const lines = [
    { spread: having, y: 4, colour: "var(--accent)" },
    { spread: without, y: 10, colour: "var(--faint)" },
  ];
  return (
    <svg aria-hidden="true" viewBox="0 0 100 14" preserveAspectRatio="none" className="block h-3.5 w-full">
      {lines.map(({ spread, y, colour }) => (
        <g key={y} stroke={colour} vectorEffect="non-scaling-stroke">
          <line
            x1={at(spread.low)}
            x2={Math.max(at(spread.high), at(spread.low) + 0.5)}
            y1={y}
            y2={y}
            strokeWidth={2}
            opacity={0.5}
            vectorEffect="non-scaling-stroke"
          />
          <line
            x1={at(spread.median)}
            x2={at(spread.median)}
            y1={y - 2.5}
            y2={y + 2.5}
            strokeWidth={2}
            vectorEffect="non-scaling-stroke"
          />
        </g>
      ))}
    </svg>
  );
}
