import type { WorkerView } from "#shared/contract/views/run.ts";
import { type ChecksRun, checkRatio, type MeasuredWorker } from "#shared/domain/metrics/measured-worker.ts";
import { waitingForProvider, workedMs } from "#shared/domain/metrics/metrics-trailer.ts";
import { isOfOtherRun } from "#shared/domain/radar/radar.ts";
import { fullPercent } from "#shared/domain/spending/budget.ts";
import { notMetered, unmeteredUse } from "#shared/domain/spending/unmetered.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { Score, ScorePart } from "#shared/domain/validation/score.ts";
import { scoreLines } from "#shared/domain/validation/score.ts";
import { dollars, duration, tokens } from "../../kit/amounts.ts";
import { LinkButton } from "../../kit/button.tsx";
import { Meter } from "../../kit/meter.tsx";
import { Section, type Term, Terms } from "../../kit/section.tsx";
import { useHost } from "../../state/host-store.ts";
import { runOfWorker, showAgent } from "../../state/other-runs.ts";
import { inspect, keyOfWorker } from "../../state/selection-store.ts";
import { formatCachedShare } from "./agents-table.tsx";

/** What one worker did and what it took, part by part, and what its work was worth. */
export function WorkerFigures({ worker }: { readonly worker: WorkerView }) {
  const metrics = useHost((state) => state.run?.metrics.find((one) => one.worker === worker.name) ?? null);
  const score = useHost((state) => state.run?.workerScores?.[worker.name] ?? null);
  return (
    <div className="flex flex-col gap-5 p-3">
      {worker.role === "agent" && <OwnScore score={score} />}
      {metrics !== null && <Time metrics={metrics} />}
      {metrics !== null && <Calls metrics={metrics} />}
      {metrics !== null && <Checks checks={metrics.checks} />}
      {metrics !== null && <Judged metrics={metrics} worker={worker} />}
      <WorkerSpending worker={worker} />
    </div>
  );
}

function WorkerSpending({ worker }: { readonly worker: WorkerView }) {
  const share = worker.contextWindow > 0 ? worker.contextTokens / worker.contextWindow : 0;
  const full = fullPercent(worker.contextTokens, worker.contextWindow) !== null;
  const { usage } = worker.spent;
  if (worker.unmetered !== null)
    return (
      <Section title="Spending">
        <Terms
          areFigures
          terms={[
            ["Cost", notMetered],
            ["Your login", unmeteredUse(worker.unmetered)],
          ]}
        />
      </Section>
    );
  return (
    <Section title="Spending">
      <Terms
        areFigures
        terms={[
          ["Dollars", dollars(worker.spent.microDollars)],
          ["Requests", worker.spent.requests],
          ["Tokens", tokens(totalTokens(usage))],
          ["Input", tokens(usage.input)],
          ["Written to cache", tokens(usage.cacheWrite5m + usage.cacheWrite1h)],
          ["Read from cache", tokens(usage.cacheRead)],
          ["Output", tokens(usage.output)],
        ]}
      />
      <div className="mt-4">
        <p className="mb-1 flex justify-between text-sm">
          <span className="text-muted">Context in use</span>
          <span className={full ? "text-warning" : undefined}>
            {tokens(worker.contextTokens)} of {tokens(worker.contextWindow)}
          </span>
        </p>
        <Meter label="Context in use" share={share} state={full ? "warning" : "ok"} className="h-1.5" />
        {full && (
          <p className="mt-1 text-sm text-warning">
            Over 60 % of the window. The next iteration starts with a fresh context.
          </p>
        )}
      </div>
    </Section>
  );
}

function OwnScore({ score }: { readonly score: Score | null }) {
  return score === null ? (
    <Section title="Score">
      <p className="text-sm text-pretty text-faint">
        No score yet. Each agent whose work is in the result gets one when the result is approved.
      </p>
    </Section>
  ) : (
    <ScoreSection score={score} of="agent" />
  );
}

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

const timeParts: readonly (readonly [part: string, name: string, means: string, colour: string])[] = [
  ["thinking", "Thinking", "From a request to the end of its answer", "var(--lane-0)"],
  [
    "tools",
    "In tools",
    "From the start of the first tool call of an answer to the end of the last",
    "var(--lane-1)",
  ],
  ["saving", "Saving", "Committing its work", "var(--lane-3)"],
  ["checking", "Checking", "The project’s checks", "var(--lane-2)"],
  ["hooks", "Hooks", "The project’s hooks", "var(--lane-6)"],
];

function Time({ metrics: { msByPhase, msByEvent } }: { readonly metrics: MeasuredWorker }) {
  const whole = workedMs(msByPhase);
  const known = new Set(timeParts.map(([part]) => part));
  const others = Object.keys(msByPhase).filter((part) => part !== waitingForProvider && !known.has(part));
  const parts = [
    ...timeParts,
    ...others.map((part) => [part, shownLine(part), "", "var(--lane-7)"] as const),
  ].filter(([part]) => (msByPhase[part] ?? 0) > 0);
  const waited = msByPhase[waitingForProvider] ?? 0;
  const events = Object.entries(msByEvent).sort(([, a], [, b]) => b - a);
  return (
    <Section aria-label="Time" title="Working time" aside={<Total value={duration(whole)} />}>
      {whole > 0 && (
        <div className="mb-1.5 flex h-1.5 gap-px overflow-hidden rounded-full bg-line-strong" aria-hidden>
          {parts.map(([part, , , colour]) => (
            <span
              key={part}
              className="h-full"
              style={{ background: colour, width: `${(100 * (msByPhase[part] ?? 0)) / whole}%` }}
            />
          ))}
        </div>
      )}
      <dl className="flex flex-col gap-0.5 text-sm">
        {parts.map(([part, name, means, colour]) => (
          <div key={part} className="flex items-center gap-2" title={means} data-time={part}>
            <dt className="flex flex-1 items-center gap-2 text-muted">
              <i className="size-2 shrink-0 rounded-full" style={{ background: colour }} aria-hidden />
              {name}
            </dt>
            <dd className="tabular-nums">{duration(msByPhase[part] ?? 0)}</dd>
            <dd className="w-9 text-right text-xs text-faint tabular-nums">
              {Math.round((100 * (msByPhase[part] ?? 0)) / whole)} %
            </dd>
          </div>
        ))}
        {waited > 0 && (
          <div
            className="flex items-center gap-2"
            title="Waiting for the provider’s limit or an outage is not part of the working time"
            data-time={waitingForProvider}
          >
            <dt className="flex-1 pl-4 text-faint">Waiting for the provider, not counted</dt>
            <dd className="text-faint tabular-nums">{duration(waited)}</dd>
            <dd className="w-9" />
          </div>
        )}
        {events.length > 0 && (
          <div className="mt-1 text-xs text-pretty text-faint">
            <dt className="inline">By trigger: </dt>
            <dd className="inline">
              {events.map(([event, ms]) => `${shownLine(event)} ${duration(ms)}`).join(", ")}
            </dd>
          </div>
        )}
      </dl>
    </Section>
  );
}

function Calls({ metrics: { toolCalls, failedByTool, failedCalls } }: { readonly metrics: MeasuredWorker }) {
  const calls = Object.entries(toolCalls).sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1));
  if (calls.length === 0) return null;
  const most = Math.max(...calls.map(([, count]) => count));
  const all = calls.reduce((sum, [, count]) => sum + count, 0);
  return (
    <Section
      title="Calls"
      aside={<Total value={failedCalls === 0 ? all : `${all}, ${failedCalls} failed`} />}
    >
      <dl className="grid grid-cols-[minmax(0,auto)_1fr_auto] items-center gap-x-2.5 gap-y-0.5 text-sm">
        {calls.map(([tool, count]) => {
          const failed = failedByTool[tool] ?? 0;
          return (
            <div key={tool} className="contents" data-calls={tool}>
              <dt className="truncate font-mono text-xs text-muted">{shownLine(tool)}</dt>
              <dd className="flex h-1.5" aria-hidden>
                <span className="h-full bg-accent" style={{ width: `${(100 * (count - failed)) / most}%` }} />
                <span className="h-full bg-danger" style={{ width: `${(100 * failed) / most}%` }} />
              </dd>
              <dd className="text-right tabular-nums">
                {count}
                {failed > 0 && <span className="text-danger"> · {failed} failed</span>}
              </dd>
            </div>
          );
        })}
      </dl>
    </Section>
  );
}

/** How often the fast and the slow checks ran after its iterations, and what they took. (PLAN-6b) */
function Checks({ checks }: { readonly checks: ChecksRun }) {
  const ratio = checkRatio(checks);
  if (ratio === null) return null;
  return (
    <Section aria-label="Checks by speed" title="Checks" aside={<Total value={ratio} />}>
      <dl className="grid grid-cols-[1fr_auto] gap-y-0.5 text-sm">
        {(["fast", "slow"] as const).map((speed) => {
          const { runs, failed, ms } = checks[speed];
          return runs === 0 ? null : (
            <div key={speed} className="contents" data-checks={speed}>
              <dt className="text-muted">{speed === "fast" ? "Fast" : "Slow"}</dt>
              <dd className="text-right tabular-nums">
                {runs} in {duration(ms)}
                {failed > 0 && <span className="text-danger"> · {failed} failed</span>}
              </dd>
            </div>
          );
        })}
      </dl>
    </Section>
  );
}

interface JudgedProps {
  readonly metrics: MeasuredWorker;
  readonly worker: WorkerView;
}

/** Votes on its work, and conflicts and alignment requests it met. */
function Judged({ metrics: { votes, conflictsMet, alignRequests }, worker }: JudgedProps) {
  const reviews = worker.mergeRequest?.reviews.filter(({ by }) => by !== "checks") ?? [];
  const reviewed = (wanted: "approved" | "changes"): number =>
    reviews.filter(({ verdict }) => verdict === wanted).length;
  const terms: readonly Term[] = [
    [
      "Validator votes",
      forAndAgainst(votes.passed, votes.failed),
      "An approval counts for every agent whose work is in the result, a rejection against the agents that it cites",
    ],
    [
      "Merge request reviews",
      forAndAgainst(reviewed("approved"), reviewed("changes")),
      "Verdicts of its orchestrator, a first reviewer or a user",
    ],
    ["Conflicts", conflictsMet, "Conflicts with decisions and with the work of other agents"],
    ["Questions", alignRequests, "Questions to its orchestrator"],
    [
      `Started with the conversation of ${worker.inherits?.from}`,
      worker.inherits && (formatCachedShare(worker.inherits) ?? "not yet"),
      "Share of its first request that was cached by the provider",
    ],
    ["Iterations", worker.iteration, "Number of times it started with a fresh context"],
  ];
  return (
    <Section title="Reviews and events">
      <Terms areFigures terms={terms} />
    </Section>
  );
}

const forAndAgainst = (passed: number, failed: number): string =>
  passed + failed === 0 ? "none" : `${passed} for, ${failed} against`;

const Total = ({ value }: { readonly value: string | number }) => (
  <span className="text-text tabular-nums">{value}</span>
);

/** A worker's name that leads to its change, or to what it says. */
export function WorkerLink({ name }: { readonly name: string }) {
  const key = useHost((state) => {
    const worker = state.run?.workers.find((one) => one.name === name);
    return worker?.fork ? keyOfWorker(name) : (worker?.changeId ?? null);
  });
  const otherRun = useHost((state) => (isOfOtherRun(name) ? (runOfWorker(state, name) ?? null) : null));
  const open = (): void => {
    if (otherRun !== null) showAgent(otherRun, name);
    else if (key !== null) inspect(key);
  };
  return (
    <LinkButton
      disabled={key === null && otherRun === null}
      title={otherRun === null ? undefined : "Show its run"}
      onClick={open}
      className="font-medium"
    >
      {name}
    </LinkButton>
  );
}
