import type { Score } from "#shared/domain/validation/score.ts";
import { type ScorePart, scoreLines } from "#shared/domain/validation/score.ts";
import { Section } from "../../kit/section.tsx";

type ScoreOf = "run" | "agent";

const efficiency =
  "Share of calls that did not fail, multiplied by a cost factor: 1 up to the median cost, then median ÷ actual cost";

const parts: Readonly<Record<ScorePart, { readonly name: string; readonly means: Record<ScoreOf, string> }>> =
  {
    quality: {
      name: "Quality",
      means: {
        run: "Average of the share of approving votes and the share of passed checks on the result",
        agent:
          "Average of the share of approving votes and reviews of its work and the share of its checks that passed",
      },
    },
    completeness: {
      name: "Completeness",
      means: { run: "Share of planned tasks that are done", agent: "1 if its task is done, otherwise 0" },
    },
    time: {
      name: "Time",
      means: {
        run: "1 up to the median time of earlier complete runs for this number of tasks, then median ÷ actual time",
        agent: "1 up to the median time of earlier agents, then median ÷ actual time",
      },
    },
    efficiency: {
      name: "Efficiency",
      means: {
        run: efficiency,
        agent: efficiency,
      },
    },
  };

interface ScoreSectionProps {
  readonly score: Score;
  readonly of: ScoreOf;
}

/** How good finished work is: each part with what it means, what it was made of, and what it is held against. */
export function ScoreSection({ score, of }: ScoreSectionProps) {
  return (
    <Section
      title="Score"
      aside={<span className="text-lg font-semibold text-text tabular-nums">{score.total.toFixed(2)}</span>}
    >
      <dl className="flex flex-col gap-2 text-sm">
        {scoreLines(score).map(({ part, value, weight, words }) => (
          <div
            key={part}
            data-score-part={part}
            title={parts[part].means[of]}
            className="grid grid-cols-[96px_1fr_auto] items-center gap-x-2.5"
          >
            <dt className="text-muted">{parts[part].name}</dt>
            <dd className="h-1.5 overflow-hidden rounded-full bg-line-strong" aria-hidden>
              <span
                className="block h-full origin-left bg-accent"
                style={{ transform: `scaleX(${value ?? 0})` }}
              />
            </dd>
            <dd className="tabular-nums">
              {value === null ? "–" : value.toFixed(2)}{" "}
              <span className="text-xs text-faint">× {weight.toFixed(2)}</span>
            </dd>
            <dd className="col-span-full text-xs text-pretty text-faint" data-selectable>
              {words}
              <span className="sr-only">. {parts[part].means[of]}.</span>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
