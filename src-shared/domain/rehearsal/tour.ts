/**
 * The tour of a rehearsal: what is on the screen now, and what the user can try next. Derived from the run
 * alone, so that it is right whatever the user does, in every window and after a reload.
 */
import type { RunTimeline } from "../timeline/timeline.ts";

/** What is pointed at. */
export type TourPlace =
  | { readonly kind: "card"; readonly id: string }
  | { readonly kind: "change"; readonly changeId: string }
  /** The turns of an agent, from each of which it can be forked. */
  | { readonly kind: "conversation"; readonly changeId: string; readonly worker: string }
  | { readonly kind: "votes" | "canvas" | "report" };

export interface TourView {
  readonly current: TourStepId;
  /** What this is. */
  readonly says: string;
  /** What to try; null: there is nothing to do but to watch. */
  readonly next: string | null;
  readonly place: TourPlace | null;
  readonly done: readonly TourStepId[];
  /** Why nothing moves and how to continue; null while the scripted model speaks. */
  readonly paused: string | null;
}

export interface TourFacts {
  /** The name of the rehearsal. */
  readonly rehearsal: string;
  /** The scripted model is held. */
  readonly isPaused: boolean;
  /** What it is held for, so that the user can look; null: for a card, or by the user. */
  readonly pausedFor: PassingStep | null;
  readonly isPlanApproved: boolean;
  readonly isOver: boolean;
  readonly isLanded: boolean;
  /** Cards that wait for the user, oldest first. */
  readonly cards: readonly { readonly id: string; readonly kind: string }[];
  readonly workers: readonly {
    readonly name: string;
    readonly isAgent: boolean;
    readonly changeId: string | null;
    readonly isAtWork: boolean;
    readonly isInConflict: boolean;
  }[];
  readonly seats: number;
  readonly verdict: string | null;
  /** Of each task that several agents try: whether a user forked one of them, and whether one was chosen. */
  readonly attempts: readonly { readonly isForked: boolean; readonly isChosen: boolean }[];
  readonly hasAcceptedSuggestion: boolean;
  readonly timeline: Pick<RunTimeline, "tracks" | "messages" | "decisions"> | null;
}

/** A step that would be over within seconds if the model continued. */
export type PassingStep = "conflict" | "votes";

interface StepText {
  readonly says: string;
  readonly next: string | null;
}

const ofCards: Readonly<Record<string, StepText & { readonly step: TourStepId }>> = {
  plan: {
    step: "plan",
    says: "The orchestrator has read the repository and proposes a plan. No agent starts before you approve it.",
    next: "Read the tasks, change one if you like, and approve.",
  },
  "align-request": {
    step: "question",
    says: "The agent cannot decide this alone, so it asks you. It waits; the other agents continue.",
    next: "Choose an option, or write your own answer.",
  },
  suggestion: {
    step: "suggestion",
    says: "A background reviewer has read the work and suggests a missing task. No agent waits for your answer.",
    next: "Add it as a task.",
  },
  attempts: {
    step: "choice",
    says: "Both attempts are complete. The task waits until you choose one. You can restore the other one later.",
    next: "Compare them side by side and choose one.",
  },
  mutation: {
    step: "decision",
    says: "Your answer becomes a decision: a change that all agents below inherit. The card lists the affected agents and the conflicts of a dry run.",
    next: "Review it, then approve.",
  },
  pattern: {
    step: "pattern",
    says: "The run proposes a rule for later runs. It is only used if you approve it, and you can edit it first.",
    next: "Review it, then approve or reject.",
  },
  land: {
    step: "landing",
    says: "The work is integrated, checked and voted on. Your branch has not changed yet.",
    next: "Review the diff, then land it.",
  },
};

/** @returns what the tour says now */
export function tourOf(facts: TourFacts): TourView {
  const { step, place, ...texts } = stepNow(facts);
  const steps = stepIdsOf(facts.rehearsal);
  // What is looked at now is not behind the user yet.
  const done = steps.filter((id) => id !== step && isDone(id, facts));
  return { ...texts, current: step, place, done, paused: facts.isPaused ? pausedAt(place) : null };
}

const pausedAt = (place: TourPlace | null): string =>
  place?.kind === "card"
    ? "The rehearsal is paused. It continues when you answer, or with Continue."
    : "The rehearsal is paused so that you can look around. Press Continue when you are ready.";

type StepNow = StepText & { readonly step: TourStepId; readonly place: TourPlace | null };

function stepNow(facts: TourFacts): StepNow {
  if (facts.isOver) return theEnd(facts);
  // A card that comes meanwhile waits until the user has looked.
  const lookAt = facts.isPaused ? facts.pausedFor : null;
  if (lookAt === "votes" && facts.seats > 0) return votesOf(facts);
  if (lookAt === "conflict") return conflictOf(facts);
  const steps = stepIdsOf(facts.rehearsal);
  const card = facts.cards.find(({ kind }) => Object.hasOwn(ofCards, kind));
  const known = card && ofCards[card.kind];
  const fork = steps.includes("fork") ? forkNow(facts) : null;
  if (card && known)
    return card.kind === "align-request" && fork !== null
      ? fork
      : { ...known, place: { kind: "card", id: card.id } };
  if (facts.workers.some(({ isInConflict }) => isInConflict)) return conflictOf(facts);
  if (facts.seats > 0) return votesOf(facts);
  if (!facts.isPlanApproved)
    return {
      ...{ step: "plan", says: "The orchestrator reads the repository and makes a plan.", next: null },
      place: null,
    };
  return fork ?? workNow(facts, steps);
}

function theEnd(facts: TourFacts): StepNow {
  const place = { kind: "report" } as const;
  if (!facts.isLanded)
    return {
      step: "end",
      says: "This run has ended without landing.",
      next: "Read the report.",
      place,
    };
  const shown = [
    ...["the plan", "each agent’s work"],
    ...(isDone("decision", facts) ? ["your decision"] : []),
    ...(isDone("conflict", facts) ? ["the conflict"] : []),
    ...(isDone("choice", facts) ? ["both attempts"] : []),
  ];
  return {
    ...{ step: "end", place },
    says: `The result is on main. Everything is in jj: ${listed(shown)} are changes that you can open.`,
    next: "Read the report, or open a repository of your own.",
  };
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

/** While an agent can be forked and none was: shown whether its question was answered or not. */
function forkNow(facts: TourFacts): StepNow | null {
  if (!facts.isPlanApproved || facts.attempts.some(({ isForked }) => isForked)) return null;
  const asks = facts.cards.some(({ kind }) => kind === "align-request");
  const wasAsked = facts.timeline?.messages.find(({ kind, to }) => kind === "question" && to !== "you");
  const agent = facts.workers.find(({ name, isAgent }) => isAgent && name === wasAsked?.from);
  if (!agent?.changeId || (!asks && !agent.isAtWork)) return null;
  return {
    step: "fork",
    says: `${agent.name} has two options. Instead of deciding now, try both: a fork continues from one of its turns.`,
    next: `Choose Fork from here at its last turn and write “Do not ask: put the sign in front, € 2.80.”${asks ? " Then answer 2.80 EUR to the first one." : ""}`,
    place: { kind: "conversation", changeId: agent.changeId, worker: agent.name },
  };
}

function conflictOf({ workers }: TourFacts): StepNow {
  const changeId = workers.find(({ isInConflict }) => isInConflict)?.changeId ?? null;
  return {
    step: "conflict",
    says: "This work contradicts the decision. jj records this as a conflict. Its agent corrects it, and the other agents continue.",
    next: changeId === null ? null : "Look at the change while it is corrected.",
    place: changeId === null ? null : { kind: "change", changeId },
  };
}

const votesOf = ({ seats, verdict }: TourFacts): StepNow => ({
  step: "votes",
  says:
    verdict === null
      ? seats === 1
        ? "A validator judges the result. It sees the diff and the checks, but not the agents’ conversations."
        : `${seats} validators judge the result. Each sees different evidence, and none sees how another votes.`
      : `The validators’ verdict: ${verdict}.`,
  next: verdict === null ? "Read their reasons as they arrive." : "Read their reasons.",
  place: { kind: "votes" },
});

function workNow(facts: TourFacts, steps: readonly TourStepId[]): StepNow {
  const informed = facts.timeline?.messages.find(({ kind }) => kind === "info");
  if (informed && steps.includes("message"))
    return {
      step: "message",
      says: `${informed.from} sent ${informed.to} information that both parts need: “${informed.text}”`,
      next: "The message is the arc between their two lanes.",
      place: { kind: "canvas" },
    };
  const atWork = facts.workers.find(({ isAtWork, changeId }) => isAtWork && changeId !== null);
  if (atWork?.changeId)
    return {
      step: "lanes",
      says: "Each lane is one agent, and its line is one change of jj. A ring is an iteration, with a tick or a cross for its checks.",
      next: "Choose a lane to read its conversation, checks and diff.",
      place: { kind: "change", changeId: atWork.changeId },
    };
  return {
    step: "lanes",
    says: isDone("lanes", facts)
      ? "Finished work is being merged; the Integrate column shows progress."
      : "The orchestrator writes the contracts that all agents share. Then each agent starts in its own lane.",
    next: null,
    place: { kind: "canvas" },
  };
}

/** Steps that begin without a card. */
const arriving: ReadonlySet<TourStepId> = new Set(["conflict", "votes", "end"]);

/** Whether something has come that a user should look at. */
export function hasNewEvent(before: TourFacts, after: TourFacts): boolean {
  const known = new Set(before.cards.map(({ id }) => id));
  if (after.cards.some(({ id }) => !known.has(id))) return true;
  return passingStep(before, after) !== null || arrives(arriving, before, after);
}

/** What has just come and would be over within seconds; null: nothing. */
export function passingStep(before: TourFacts, after: TourFacts): PassingStep | null {
  if (after.verdict !== null && after.verdict !== before.verdict) return "votes";
  return arrives(new Set(["conflict"]), before, after) ? "conflict" : null;
}

function arrives(steps: ReadonlySet<TourStepId>, before: TourFacts, after: TourFacts): boolean {
  const now = tourOf(after).current;
  return steps.has(now) && now !== tourOf(before).current;
}

function isDone(id: TourStepId, { timeline, ...facts }: TourFacts): boolean {
  const has = (kind: string): boolean => facts.cards.some((card) => card.kind === kind);
  const marks = timeline?.tracks.flatMap((track) => track.marks) ?? [];
  switch (id) {
    case "plan":
      return facts.isPlanApproved;
    case "lanes":
      return marks.some(({ kind }) => kind === "iteration");
    case "fork":
      return facts.attempts.some(({ isForked }) => isForked);
    case "choice":
      return facts.attempts.some(({ isChosen }) => isChosen);
    case "suggestion":
      return facts.hasAcceptedSuggestion;
    case "message":
      return timeline?.messages.some(({ kind }) => kind === "info") ?? false;
    case "question":
      return (
        !has("align-request") &&
        (timeline?.messages.some(({ kind, settledAt }) => kind === "question" && settledAt !== null) ?? false)
      );
    case "decision":
      return timeline?.decisions.some(({ state }) => state === "applied") ?? false;
    case "conflict":
      return (
        marks.some(({ kind }) => kind === "conflict" || kind === "contradiction") &&
        !facts.workers.some(({ isInConflict }) => isInConflict)
      );
    case "votes":
      return facts.verdict !== null;
    case "pattern":
      return facts.isLanded || (facts.verdict !== null && has("land"));
    case "landing":
      return facts.isLanded;
    case "end":
      return false;
  }
}

/** The steps of each rehearsal's tour: what its description promises, and what every run has. */
const titles = {
  plan: "Approve the plan",
  lanes: "Watch agents work",
  fork: "Fork an agent",
  question: "Answer a question",
  choice: "Choose an attempt",
  suggestion: "Accept a suggestion",
  message: "See a message between parts",
  decision: "Approve a decision",
  conflict: "See a conflict resolved",
  votes: "Read the votes",
  pattern: "Review a pattern",
  landing: "Land the result",
  end: "Look back",
} as const;
export type TourStepId = keyof typeof titles;

export interface TourStep {
  readonly id: TourStepId;
  readonly title: string;
}

const begins: readonly TourStepId[] = ["plan", "lanes"];
const ends: readonly TourStepId[] = ["votes", "landing", "end"];
const ids: Readonly<Record<string, readonly TourStepId[]>> = {
  profiles: [...begins, "question", "decision", "conflict", "votes", "pattern", "landing", "end"],
  receipts: [...begins, "fork", "question", "suggestion", "choice", ...ends],
  tides: [...begins, "message", "question", ...ends],
};

/** What a rehearsal shows, in the order in which it comes. */
export const tourSteps = (rehearsal: string): readonly TourStep[] =>
  stepIdsOf(rehearsal).map((id) => ({ id, title: titles[id] }));

/** The steps of one rehearsal; of one that this version does not know, those that every run has. */
const stepIdsOf = (rehearsal: string): readonly TourStepId[] =>
  Object.hasOwn(ids, rehearsal) ? (ids[rehearsal] ?? []) : [...begins, "question", ...ends];
