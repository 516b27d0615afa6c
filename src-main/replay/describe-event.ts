/** Describes a run's events in one line for the user; internal events have no text. */

import { kindOfCard } from "#shared/contract/cards.ts";
import type { ReplayMark, ReplayMoment } from "#shared/contract/commands/replay.ts";
import { isRoot } from "#shared/domain/change-metadata/address.ts";
import { checksState } from "#shared/domain/forge/forge-facts.ts";
import { missingLine } from "#shared/domain/missing-work/missing-work.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import { formatPlace } from "#shared/domain/radar/radar.ts";
import type { StageEvent } from "#shared/domain/run/stage-state.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { ValidationView } from "#shared/domain/validation/panel.ts";
import type { RunEvent } from "#shared/run/events.ts";
import type { JournalCard } from "../journal/run-rows.ts";

type MomentText = Omit<ReplayMoment, "at" | "mark">;

const longest = 160;
const line = (text: string): string => startOf(shownLine(text), longest);

const ofStage = (who: string | null, text: string): MomentText => ({ who, text: line(text), tone: "stage" });
const work = (who: string, text: string): MomentText => ({ who, text: line(text), tone: "work" });
const decision = (who: string, text: string): MomentText => ({ who, text: line(text), tone: "decision" });
const user = (text: string, by = "you"): MomentText => ({ who: by, text: line(text), tone: "user" });
const trouble = (who: string | null, text: string): MomentText => ({
  who,
  text: line(text),
  tone: "trouble",
});

type EventOf<Kind extends RunEvent["kind"]> = Extract<RunEvent, { readonly kind: Kind }>;
type Titles = Pick<ReturnType<typeof createTaskTitles>, "titleOf">;

/** Titles of a run's tasks. Two orchestrators may call tasks of theirs by the same id. */
export function createTaskTitles() {
  const titles = new Map<string, string>();
  const keyOf = (orchestrator: string, task: string): string => `${orchestrator}\n${task}`;
  const name = (orchestrator: string, task: string, title: string): void => {
    if (title !== "") titles.set(keyOf(orchestrator, task), title);
  };
  return {
    /** Takes in what an event says of tasks; the events one after the other. */
    note(event: RunEvent): void {
      switch (event.kind) {
        case "PlanProposed":
        case "PlanApproved":
        case "PlanRevised":
        case "AmendmentFinished":
          for (const { id, title } of event.plan.tasks) name(event.orchestrator, id, title);
          return;
        case "WorkerJoined": {
          const { parent, task, title } = event.record;
          if (parent && task && title) name(parent, task, title);
          return;
        }
        default:
          return;
      }
    },
    /** As it read last; null where nothing has named it. */
    titleOf: (orchestrator: string, task: string): string | null =>
      titles.get(keyOf(orchestrator, task)) ?? null,
  };
}

const marks: Readonly<Partial<Record<RunEvent["kind"], ReplayMark>>> = {
  MergeConflictFound: "conflict",
  ContradictionFound: "conflict",
  VotesCounted: "votes",
  PhaseVotesCounted: "votes",
  PlanApproved: "decision",
  DecisionApplied: "decision",
};

/**
 * @param titles as they were then
 * @returns null for events that a replay does not list
 */
export function describeEvent(event: RunEvent, titles: Titles): Omit<ReplayMoment, "at"> | null {
  if (event.kind === "StageMoved") {
    const text = describeStage(event.orchestrator, event.event, titles);
    return text && { ...text, mark: event.event.kind === "IntegrationConflict" ? "conflict" : null };
  }
  const describe = texts[event.kind] as ((event: RunEvent) => MomentText | null) | undefined;
  const text = describe?.(event) ?? null;
  return text && { ...text, mark: marks[event.kind] ?? null };
}

type StageTexts = {
  readonly [Kind in StageEvent["kind"]]?: (
    event: Extract<StageEvent, { readonly kind: Kind }>,
    who: string | null,
    named: (task: string) => string,
  ) => MomentText;
};

const stageTexts: StageTexts = {
  TaskComplete: ({ task }, who, named) => ofStage(who, `finishes ${named(task)}`),
  TaskAbandoned: ({ task }, who, named) => trouble(who, `abandons ${named(task)}`),
  TaskReopened: ({ task }, who, named) => trouble(who, `resumes ${named(task)}`),
  StartOrchestration: (_, who) => ofStage(who, "begins"),
  ContractsComplete: (_, who) => ofStage(who, "contracts are ready"),
  PhaseReleased: ({ phase }) => user(`ends phase ${phase}`),
  PhaseComplete: ({ phase }, who) => ofStage(who, `phase ${phase} ended`),
  IntegrationConflict: ({ files }, who) => trouble(who, `tasks conflict in: ${files.join(", ")}`),
  IntegrationClean: (_, who) => ofStage(who, "integration is complete"),
  ValidationPassed: (_, who) => ofStage(who, "validated"),
  ValidationFailed: ({ reasons }, who) => trouble(who, `not validated: ${reasons.join("; ")}`),
  RepairAsked: ({ words }) => user(`requests another repair${words === "" ? "" : `: ${words}`}`),
  VerdictVoided: () => user("edited the result: validators judge it again"),
  ResultRejected: () => user("rejected the result"),
  Pause: () => user("paused"),
  Resume: () => user("resumed"),
  BudgetExhausted: (_, who) => trouble(who, "the budget is spent"),
  Stop: ({ by }, who) =>
    by === "restore"
      ? user("restored the repository to an earlier point: the run ended")
      : by === "user"
        ? user("stopped the run")
        : trouble(who, "stopped: the budget is spent"),
  LandingComplete: (_, who) => ofStage(who, "landed"),
};

function describeStage(orchestrator: string, event: StageEvent, { titleOf }: Titles): MomentText | null {
  const describe = stageTexts[event.kind] as StageTexts[StageEvent["kind"]] | undefined;
  const named = (task: string): string => {
    const title = titleOf(orchestrator, task);
    return title === null ? task : `“${title}”`;
  };
  // The root's stages are the run's own.
  return describe?.(event as never, isRoot(orchestrator) ? null : orchestrator, named) ?? null;
}

const texts: { readonly [Kind in RunEvent["kind"]]?: (event: EventOf<Kind>) => MomentText | null } = {
  WorkerJoined: ({ worker, record }) => work(worker, `joins${record.title ? `: ${record.title}` : ""}`),
  IterationEnded({ worker, iteration, checks }) {
    const failed = checks.filter(isBlocking).length;
    const result = checks.length === 0 ? "" : failed === 0 ? ", checks pass" : `, ${failed} failed`;
    return work(worker, `iteration ${iteration} ended${result}`);
  },
  MergeRequested: ({ worker, summary }) => work(worker, `offers: ${summary}`),
  WorkFinished: ({ worker }) => work(worker, "is done"),
  MergeRequestAdvanced: ({ worker, event }) =>
    event.kind === "Offered"
      ? work(worker, `offers: ${event.summary}`)
      : event.kind === "Merged"
        ? work(worker, "is merged")
        : event.kind === "LeftToValidators"
          ? work(worker, "needs no review before the result is judged")
          : null,
  MergeConflictFound: ({ worker, against = [] }) =>
    trouble(
      worker,
      against.length === 0
        ? "is in conflict with other work"
        : `is in conflict with the merged work of ${against.map((side) => side.worker).join(", ")}`,
    ),
  MergeConflictResolved: ({ worker }) => work(worker, "has resolved its conflict"),
  ContradictionFound: ({ worker }) => trouble(worker, "contradicts a decision"),
  WorkerStuck: ({ worker, reason }) => trouble(worker, `is stuck: ${reason}`),
  WorkAbandoned: ({ worker }) => trouble(worker, "was abandoned"),
  WorkUndone: ({ worker }) => user(`undid the work of ${worker}`),
  WorkerPaused: ({ worker }) => user(`paused ${worker}`),
  TakenOver: ({ worker }) => user(`took over ${worker}`),
  HandedBack: ({ worker }) => user(`returned the task of ${worker}`),
  TaskReassigned: ({ worker, to }) => work(worker, `reassigned to ${to}`),
  ForkStarted: ({ fork, caller, task }) => work(fork, `started as a fork of ${caller}: ${task}`),
  PlanProposed: ({ orchestrator, plan }) =>
    decision(orchestrator, `proposes a plan with ${plan.tasks.length} tasks`),
  PlanApproved: ({ orchestrator }) => decision(orchestrator, "has its plan approved"),
  PlanRefused: ({ orchestrator, reason }) => trouble(orchestrator, `plan refused: ${reason}`),
  PlanRevised: ({ orchestrator }) => decision(orchestrator, "changes its plan"),
  ContractsWritten: ({ orchestrator, summary }) => decision(orchestrator, `contracts: ${summary}`),
  CollisionsFound: ({ pairs }) =>
    trouble(
      null,
      `forecast conflicts: ${pairs.map(({ a, b, places }) => `${a} and ${b} in ${places.map(formatPlace).join("; ")}`).join(", ")}`,
    ),
  CollisionsOrdered: ({ by, waits }) =>
    decision(
      by,
      waits.length === 0
        ? "lets agents with a forecast conflict continue"
        : `orders: ${waits.map((wait) => `${wait.worker} waits for ${wait.for}`).join(", ")}`,
    ),
  QuestionAsked: ({ question }) => decision(question.from, `asks: ${question.question}`),
  QuestionAnswered: ({ answer }) => ({ who: null, text: line(`answer: ${answer}`), tone: "decision" }),
  DecisionApplied: ({ decision: made }) => decision(made.orchestrator, `decides: ${made.title}`),
  VotesCounted: ({ validation }) => ofStage(null, formatVotes(validation)),
  PhaseVotesCounted: ({ verdict: { orchestrator, number, validation } }) =>
    ofStage(orchestrator, `phase ${number}: ${formatVotes(validation)}`),
  PhaseSentBack: ({ orchestrator, phase }) =>
    trouble(orchestrator, `phase ${phase} was rejected and is being repaired`),
  PhaseAccepted: ({ phase, reason }) => user(`continued after phase ${phase} anyway: ${reason}`),
  RunScored: ({ score }) => ofStage(null, `score ${score.total.toFixed(2)}`),
  ResultCompared: ({ missing }) =>
    missing.length === 0
      ? null
      : trouble(null, `missing from the result: ${missing.map(missingLine).join("; ")}`),
  PullRequestOpened: ({ number, branch }) => ofStage(null, `opened pull request #${number} from ${branch}`),
  PullRequestSeen: ({ branch, seen, requests }) =>
    requests.length > 0 ||
    seen.state === "merged" ||
    seen.state === "closed" ||
    checksState(seen.checks) === "failed"
      ? ofStage(
          null,
          `${branch}: ${requests.length > 0 ? "reviewers ask for changes" : seen.state === "merged" || seen.state === "closed" ? seen.state : "checks failed"}`,
        )
      : null,
  ThreadAnswered: ({ branch }) => ofStage(null, `answered a review of ${branch}`),
  PublicationDropped: () => user("chose another way for the result"),
  ResultLanded: () => ofStage(null, "the result landed on the branch"),
  LandingUndone: () => user("undid the landing"),
  LandingRedone: () => user("restored the landing on the branch"),
  LandingReverted: ({ by }) => trouble(null, `${by.slice(0, 12)} reverts the landing`),
  SuggestionTaken: ({ by, suggestion }) => work(by, `turns a suggestion into a task: ${suggestion}`),
  UserActed: ({ by, did, of }) => user(of === null ? did : `${did} ${of}`, by),
  SuggestionDecided: ({ as }) => user(`answered a suggestion: ${as}`),
};

/** A card is two moments: asked, and answered. */
export function cardMoments({ item, answeredAt, decision: answer }: JournalCard): readonly ReplayMoment[] {
  const kind = kindOfCard(item);
  const asked: ReplayMoment = {
    at: item.at,
    who: kind.from(item),
    text: line(`asks you: ${kind.title}: ${kind.headline(item)}`),
    tone: "user",
    mark: "decision",
  };
  if (answeredAt === null || answer === null) return [asked];
  return [
    asked,
    { at: answeredAt, ...user(`answered ${kind.title}: ${answer.kind}`, item.answeredBy), mark: "decision" },
  ];
}

const formatVotes = ({ seats, verdict }: ValidationView): string =>
  seats.length === 0
    ? verdict
    : `${seats.filter(({ vote }) => vote !== "pending").length} of ${seats.length} votes, ${verdict}`;
