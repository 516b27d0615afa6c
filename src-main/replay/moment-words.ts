/** Describes a run's events in one line for the user; internal events have no text. */

import { kindOfCard } from "#shared/contract/cards.ts";
import type { ReplayMark, ReplayMoment } from "#shared/contract/views/replay.ts";
import type { ValidationView } from "#shared/contract/views/validation.ts";
import { isRoot } from "#shared/domain/graph-words/address.ts";
import { missingLine } from "#shared/domain/missing-work/missing-work.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import type { StageEvent } from "#shared/domain/run/stage-state.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { RunEvent } from "#shared/run/events.ts";
import type { JournalCard } from "../journal/recording-rows.ts";
import type { TaskTitles } from "./task-titles.ts";

type MomentText = Omit<ReplayMoment, "at" | "mark">;

const longest = 160;
const line = (text: string): string => startOf(shownLine(text), longest);

const course = (who: string | null, text: string): MomentText => ({ who, text: line(text), tone: "course" });
const work = (who: string, text: string): MomentText => ({ who, text: line(text), tone: "work" });
const decision = (who: string, text: string): MomentText => ({ who, text: line(text), tone: "decision" });
const person = (text: string): MomentText => ({ who: "you", text: line(text), tone: "person" });
const trouble = (who: string | null, text: string): MomentText => ({
  who,
  text: line(text),
  tone: "trouble",
});

/**
 * @param titles as they were then
 * @returns null for events that a replay does not list
 */
export function describeEvent(
  event: RunEvent,
  titles: Pick<TaskTitles, "titleOf">,
): Omit<ReplayMoment, "at"> | null {
  const words =
    event.kind === "StageMoved"
      ? (describeTaskEvent(event.orchestrator, event.event, titles) ??
        describeStageEvent(event.orchestrator, event.event))
      : (describeWorkEvent(event) ?? describePlanEvent(event) ?? describeResultEvent(event));
  return words && { ...words, mark: markOf(event) };
}

function markOf(event: RunEvent): ReplayMark | null {
  switch (event.kind) {
    case "StageMoved":
      return event.event.kind === "IntegrationConflict" ? "conflict" : null;
    case "MergeConflictFound":
    case "ContradictionFound":
      return "conflict";
    case "VotesCounted":
    case "PhaseVotesCounted":
      return "votes";
    case "PlanApproved":
    case "DecisionApplied":
      return "decision";
    default:
      return null;
  }
}

/** The root's course is the run's own. */
const whoseCourse = (orchestrator: string): string | null => (isRoot(orchestrator) ? null : orchestrator);

function describeTaskEvent(
  orchestrator: string,
  event: StageEvent,
  { titleOf }: Pick<TaskTitles, "titleOf">,
): MomentText | null {
  const who = whoseCourse(orchestrator);
  const named = (task: string): string => {
    const title = titleOf(orchestrator, task);
    return title === null ? task : `“${title}”`;
  };
  switch (event.kind) {
    case "TaskComplete":
      return course(who, `finishes ${named(event.task)}`);
    case "TaskAbandoned":
      return trouble(who, `abandons ${named(event.task)}`);
    case "TaskReopened":
      return trouble(who, `resumes ${named(event.task)}`);
    default:
      return null;
  }
}

function describeStageEvent(orchestrator: string, event: StageEvent): MomentText | null {
  const who = whoseCourse(orchestrator);
  switch (event.kind) {
    case "StartOrchestration":
      return course(who, "begins");
    case "ContractsComplete":
      return course(who, "contracts are ready");
    case "PhaseReleased":
      return person(`ends phase ${event.phase}`);
    case "PhaseComplete":
      return course(who, `phase ${event.phase} ended`);
    case "IntegrationConflict":
      return trouble(who, `tasks conflict in: ${event.files.join(", ")}`);
    case "IntegrationClean":
      return course(who, "integration is complete");
    case "ValidationPassed":
      return course(who, "validated");
    case "ValidationFailed":
      return trouble(who, `not validated: ${event.reasons.join("; ")}`);
    case "RepairAsked":
      return person(`requests another repair${event.words === "" ? "" : `: ${event.words}`}`);
    case "VerdictVoided":
      return person("edited the result: validators judge it again");
    case "ResultRejected":
      return person("rejected the result");
    case "Pause":
      return person("paused");
    case "Resume":
      return person("resumed");
    case "BudgetExhausted":
      return trouble(who, "the budget is spent");
    case "Stop":
      if (event.by === "restore") return person("restored the repository to an earlier point: the run ended");
      return event.by === "person" ? person("stopped the run") : trouble(who, "stopped: the budget is spent");
    case "LandingComplete":
      return course(who, "landed");
    default:
      return null;
  }
}

function describeWorkEvent(event: Exclude<RunEvent, { kind: "StageMoved" }>): MomentText | null {
  switch (event.kind) {
    case "WorkerJoined":
      return work(event.worker, `joins${event.record.title ? `: ${event.record.title}` : ""}`);
    case "IterationEnded": {
      const failed = event.checks.filter(isBlocking).length;
      const checks = event.checks.length === 0 ? "" : failed === 0 ? ", checks pass" : `, ${failed} failed`;
      return work(event.worker, `iteration ${event.iteration} ended${checks}`);
    }
    case "WorkOffered":
      return work(event.worker, `offers: ${event.summary}`);
    case "WorkFinished":
      return work(event.worker, "is done");
    case "FoldAdvanced":
      return describeMergeRequestStep(event.worker, event.event);
    case "MergeConflictFound":
      return trouble(event.worker, "is in conflict with other work");
    case "MergeConflictResolved":
      return work(event.worker, "has resolved its conflict");
    case "ContradictionFound":
      return trouble(event.worker, "contradicts a decision");
    case "WorkerStuck":
      return trouble(event.worker, `is stuck: ${event.reason}`);
    case "WorkAbandoned":
      return trouble(event.worker, "was abandoned");
    case "WorkUndone":
      return person(`undid the work of ${event.worker}`);
    case "WorkerHeld":
      return person(`paused ${event.worker}`);
    case "TakenOver":
      return person(`took over ${event.worker}`);
    case "HandedBack":
      return person(`returned the task of ${event.worker}`);
    case "TaskReassigned":
      return work(event.worker, `reassigned to ${event.to}`);
    case "ForkBegun":
      return work(event.fork, `started as a fork of ${event.caller}: ${event.task}`);
    default:
      return null;
  }
}

type FoldStep = Extract<RunEvent, { kind: "FoldAdvanced" }>["event"];

function describeMergeRequestStep(worker: string, event: FoldStep): MomentText | null {
  switch (event.kind) {
    case "Offered":
      return work(worker, `offers: ${event.summary}`);
    case "Merged":
      return work(worker, "is merged");
    default:
      return null;
  }
}

function describePlanEvent(event: Exclude<RunEvent, { kind: "StageMoved" }>): MomentText | null {
  switch (event.kind) {
    case "PlanProposed":
      return decision(event.orchestrator, `proposes a plan with ${event.plan.tasks.length} tasks`);
    case "PlanApproved":
      return decision(event.orchestrator, "has its plan approved");
    case "PlanRefused":
      return trouble(event.orchestrator, `plan refused: ${event.reason}`);
    case "PlanRevised":
      return decision(event.orchestrator, "changes its plan");
    case "ContractsWritten":
      return decision(event.orchestrator, `contracts: ${event.summary}`);
    case "QuestionAsked":
      return decision(event.question.from, `asks: ${event.question.question}`);
    case "QuestionAnswered":
      return { who: null, text: line(`answer: ${event.answer}`), tone: "decision" };
    case "DecisionApplied":
      return decision(event.decision.orchestrator, `decides: ${event.decision.title}`);
    default:
      return null;
  }
}

function describeResultEvent(event: Exclude<RunEvent, { kind: "StageMoved" }>): MomentText | null {
  switch (event.kind) {
    case "VotesCounted":
      return course(null, formatVotes(event.validation));
    case "PhaseVotesCounted": {
      const { orchestrator, number, validation } = event.verdict;
      return course(orchestrator, `phase ${number}: ${formatVotes(validation)}`);
    }
    case "PhaseSentBack":
      return trouble(event.orchestrator, `phase ${event.phase} was rejected and is being repaired`);
    case "PhaseAccepted":
      return person(`continued after phase ${event.phase} anyway: ${event.reason}`);
    case "RunScored":
      return course(null, `score ${event.score.total.toFixed(2)}`);
    case "ResultCompared":
      return event.missing.length === 0
        ? null
        : trouble(null, `missing from the result: ${event.missing.map(missingLine).join("; ")}`);
    case "ResultLanded":
      return course(null, "the result landed on the branch");
    case "LandingUndone":
      return person("undid the landing");
    case "LandingRedone":
      return person("restored the landing on the branch");
    case "LandingReverted":
      return trouble(null, `${event.by.slice(0, 12)} reverts the landing`);
    case "SuggestionTaken":
      return work(event.by, `turns a suggestion into a task: ${event.suggestion}`);
    case "SuggestionDecided":
      return person(`answered a suggestion: ${event.as}`);
    default:
      return null;
  }
}

/** A card is two moments: asked, and answered. */
export function cardMoments({ item, answeredAt, decision: answer }: JournalCard): readonly ReplayMoment[] {
  const kind = kindOfCard(item);
  const asked: ReplayMoment = {
    at: item.at,
    who: kind.from(item),
    text: line(`asks you: ${kind.title}: ${kind.headline(item)}`),
    tone: "person",
    mark: "decision",
  };
  if (answeredAt === null || answer === null) return [asked];
  return [asked, { at: answeredAt, ...person(`answered ${kind.title}: ${answer.kind}`), mark: "decision" }];
}

const formatVotes = ({ seats, verdict }: ValidationView): string =>
  seats.length === 0
    ? verdict
    : `${seats.filter(({ vote }) => vote !== "pending").length} of ${seats.length} votes, ${verdict}`;
