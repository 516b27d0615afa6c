import { failedValidations } from "#shared/run/events.ts";
/** The report on one run, from its recording alone; its changes are read from the graph by the caller. */

import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type {
  LeftToDo,
  ReportedAct,
  ReportedResult,
  ReportedVotes,
  ReportedWorkerView,
  RunReportView,
} from "#shared/contract/commands/report.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { workedMs } from "#shared/domain/metrics/metrics-trailer.ts";
import { droppedBy, missingAmount, missingLine } from "#shared/domain/missing-work/missing-work.ts";
import { outcomeText } from "#shared/domain/project/preflight.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import type { ValidationView } from "#shared/domain/validation/panel.ts";
import { panelOf, type RecordedVerdict, trustIn, trustLine } from "#shared/domain/validation/panel-trust.ts";
import type { FailedRound } from "#shared/domain/validation/rounds.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Recording } from "./recording.ts";
import type { RecordedViews } from "./replay.ts";
import { reworkedTasks } from "./run-list.ts";

/** Who started it, answered its cards, and steered it, by name. */
function peopleIn({ input, startedAt, moments, cards }: Recording): readonly ReportedAct[] {
  const acts = moments.flatMap(({ at, event }): readonly ReportedAct[] =>
    event.kind === "UserActed"
      ? [{ at, by: event.by, did: event.of === null ? event.did : `${event.did} ${event.of}` }]
      : [],
  );
  const answers = cards.flatMap(({ item, answeredAt }): readonly ReportedAct[] =>
    item.answeredBy === undefined || answeredAt === null
      ? []
      : [
          {
            at: answeredAt,
            by: item.answeredBy,
            did: `answered ${kindOfCard(item).title}: ${kindOfCard(item).headline(item)}`,
          },
        ],
  );
  const start =
    input.startedBy === undefined ? [] : [{ at: startedAt, by: input.startedBy, did: "started the run" }];
  return [...start, ...acts, ...answers].toSorted((one, other) => one.at - other.at);
}

export const emptyResult: ReportedResult = { of: "nothing", files: [], commits: [], note: null };

/**
 * @param views of the run at its end, or now
 * @param result what it changed
 * @param verdicts of all runs of the repository
 */
export function runReport(
  recording: Recording,
  { run, inbox }: Pick<RecordedViews, "run" | "inbox">,
  result: ReportedResult,
  verdicts: readonly RecordedVerdict[],
): RunReportView {
  const { spent } = run.budget;
  return {
    id: run.id,
    goal: run.goal,
    stage: run.stage,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    microDollars: spent.microDollars,
    model: run.model,
    rehearsal: run.rehearsal,
    isQuick: run.isQuick,
    endedBy: run.endedBy ?? null,
    failure: run.failure,
    issue: recording.input.issue ?? null,
    landed: run.landed,
    tokens: totalTokens(spent.usage),
    requests: spent.requests,
    workedMs: run.metrics.reduce((sum, { msByPhase }) => sum + workedMs(msByPhase), 0),
    result,
    decisions: run.decisions.map(({ title, reason, orchestrator, files, compliance }) => ({
      title,
      reason,
      orchestrator,
      files,
      against: compliance.flatMap(({ worker, state }) => (state === "contradicts" ? [worker] : [])),
    })),
    people: peopleIn(recording),
    workers: workersOf(run),
    checks: (run.validation?.checks ?? []).map(({ name, outcome, ms }) => ({ name, outcome, ms })),
    votes: run.validation
      ? {
          ...votesOf(run.validation, run.rounds),
          trust:
            run.validation.verdict === "vetoed"
              ? null
              : trustLine(trustIn(verdicts, panelOf(run.validation), run.id)),
        }
      : null,
    phaseVotes: run.phaseVerdicts.map(({ orchestrator, number, validation, rounds }) => ({
      ...{ orchestrator, number },
      ...votesOf(validation, rounds),
      trust: null,
    })),
    missing: run.missing.map(missingLine),
    conflicts: run.metrics.reduce((sum, { conflictsMet }) => sum + conflictsMet, 0),
    questions: run.metrics.reduce((sum, { alignRequests }) => sum + alignRequests, 0),
    repairRounds: failedValidations(recording.moments),
    reworkedTasks: reworkedTasks(run.workers, recording.moments),
    score: run.score?.total ?? null,
    left: leftToDo(run, inbox),
  };
}

function workersOf(run: RunView): readonly ReportedWorkerView[] {
  const measured = new Map(run.metrics.map((one) => [one.worker, one]));
  return run.workers.map((worker) => ({
    name: worker.name,
    role: worker.role,
    title: worker.title,
    status: worker.status,
    model: worker.model,
    iterations: worker.iteration,
    toolCalls: worker.toolCalls,
    milliseconds: workedMs(measured.get(worker.name)?.msByPhase ?? {}),
    microDollars: worker.spent.microDollars,
    unmetered: worker.unmetered,
    replaces: worker.replaces,
    replacedBy: worker.replacedBy,
  }));
}

const votesOf = (
  { verdict, quorum, seats, overruled }: ValidationView,
  rounds: readonly FailedRound[],
): Omit<ReportedVotes, "trust"> => ({
  ...{ verdict, quorum, rounds },
  seats: seats.map(({ seat, evidence, vote, reason }) => ({
    ...{ seat, evidence, reason },
    vote: vote === "pending" && verdict === "vetoed" ? "not asked" : vote,
  })),
  overruled: overruled?.reason ?? null,
});

/** What the user may still want to do, most important first. */
function leftToDo(run: RunView, inbox: readonly InboxItem[]): readonly LeftToDo[] {
  const { validation } = run;
  const isOver = run.endedAt !== null;
  return [
    ...landingLeft(run),
    ...run.missing.map((work): LeftToDo => {
      const by = droppedBy(work);
      const text = `${work.title}: ${missingAmount(work)}${by === null ? "" : `; ${by}`}`;
      return { kind: "missing", who: work.worker, text };
    }),
    ...tasksLeft(run),
    ...(validation?.checks ?? []).flatMap(({ name, outcome }): readonly LeftToDo[] =>
      outcome === "passed" || outcome === "known-failure"
        ? []
        : [{ kind: "check", who: null, text: `${name}: ${outcomeText[outcome]}` }],
    ),
    ...(validation?.seats ?? []).flatMap(({ seat, vote, reason }): readonly LeftToDo[] =>
      vote === "reject" ? [{ kind: "vote", who: seat, text: reason }] : [],
    ),
    ...run.decisions.flatMap(({ title, compliance }) =>
      compliance.flatMap(({ worker, state, reason }): readonly LeftToDo[] =>
        state === "contradicts" ? [{ kind: "decision", who: worker, text: `${title}: ${reason}` }] : [],
      ),
    ),
    // Open questions of a finished run stay unanswered.
    ...(isOver ? [] : inbox).map(
      (item): LeftToDo => ({ kind: "card", who: null, text: kindOfCard(item).title }),
    ),
    ...run.comments.flatMap((comment): readonly LeftToDo[] =>
      comment.isResolved || comment.isOutdated
        ? []
        : [
            {
              kind: "comment",
              who: comment.archangel,
              text: `${comment.path === null ? "" : `${comment.path}${comment.line === null ? "" : `:${comment.line}`}: `}${comment.text}`,
            },
          ],
    ),
    ...run.suggestions.flatMap((one): readonly LeftToDo[] =>
      one.state === "open" ? [{ kind: "suggestion", who: one.agent, text: one.suggestion }] : [],
    ),
    ...stepsLeft(run),
  ];
}

function landingLeft({ landed, stage, integration }: RunView): readonly LeftToDo[] {
  if (landed) {
    return landed.undoneAt == null
      ? []
      : [{ kind: "landing", who: null, text: `The landing on ${landed.bookmark} was undone` }];
  }
  if (stage === "complete") return [{ kind: "landing", who: null, text: "The result was not landed" }];
  if ((stage === "failed" || stage === "stopped") && integration !== null)
    return [{ kind: "landing", who: null, text: "The integrated result is in the graph but has not landed" }];
  return [];
}

/** Unfinished tasks of the root's plan, and agents that were not done. */
function tasksLeft({ workers, plan }: RunView): readonly LeftToDo[] {
  const agents = workers.filter(({ role, replacedBy }) => roles[role].canWriteTask && replacedBy === null);
  const begun = new Set(workers.map(({ task }) => task));
  return [
    ...agents.flatMap(({ name, status, title }): readonly LeftToDo[] =>
      status === "done" || status === "review"
        ? []
        : [{ kind: "task", who: name, text: `${title} (${status === "abandoned" ? "abandoned" : status})` }],
    ),
    ...(plan?.tasks ?? []).flatMap(({ id, title }): readonly LeftToDo[] =>
      begun.has(id) ? [] : [{ kind: "task", who: null, text: `${title} (not started)` }],
    ),
  ];
}

const stepsLeft = ({ workers }: RunView): readonly LeftToDo[] =>
  workers.flatMap(({ name, todos = [], replacedBy }) =>
    replacedBy !== null
      ? []
      : todos.flatMap(({ content, status }): readonly LeftToDo[] =>
          status === "completed" ? [] : [{ kind: "step", who: name, text: content }],
        ),
  );
