/**
 * The tour of a rehearsal: what stands on the screen now, and what a person may try next. It follows from the run alone, so that
 * it is right whatever the person does, in every window and after a reload.
 */
import type { RunTimeline } from "../timeline/timeline.ts";

export const tourSteps = [
  { id: "plan", title: "Approve the plan" },
  { id: "lanes", title: "Watch agents work" },
  { id: "question", title: "Answer a question" },
  { id: "decision", title: "Approve a decision" },
  { id: "conflict", title: "See a conflict settled" },
  { id: "votes", title: "Read the votes" },
  { id: "pattern", title: "Approve what was learned" },
  { id: "landing", title: "Land the result" },
  { id: "end", title: "Look back" },
] as const;
export type TourStepId = (typeof tourSteps)[number]["id"];

/** What is pointed at. */
export type TourPlace =
  | { readonly kind: "card"; readonly id: string }
  | { readonly kind: "change"; readonly changeId: string }
  | { readonly kind: "votes" | "canvas" | "report" };

export interface TourView {
  readonly current: TourStepId;
  /** What this is. */
  readonly says: string;
  /** What to try; null: there is nothing to do but to watch. */
  readonly next: string | null;
  readonly place: TourPlace | null;
  readonly done: readonly TourStepId[];
}

export interface TourFacts {
  readonly isPlanApproved: boolean;
  readonly isOver: boolean;
  readonly isLanded: boolean;
  /** Cards that wait for a person, the oldest first. */
  readonly cards: readonly { readonly id: string; readonly kind: string }[];
  readonly workers: readonly {
    readonly changeId: string | null;
    readonly isAtWork: boolean;
    readonly isInConflict: boolean;
  }[];
  readonly hasSeats: boolean;
  readonly verdict: string | null;
  readonly timeline: Pick<RunTimeline, "tracks" | "messages" | "decisions"> | null;
}

interface Said {
  readonly says: string;
  readonly next: string | null;
}

const ofCards: Readonly<Record<string, Said & { readonly step: TourStepId }>> = {
  plan: {
    step: "plan",
    says: "The orchestrator has read the repository and proposes a plan. Nothing is written before you say yes.",
    next: "Read the tasks, change one if you like, and approve.",
  },
  "align-request": {
    step: "question",
    says: "An agent cannot know this by itself, so it asks. It waits; the others go on.",
    next: "Answer with a click, or in your own words.",
  },
  mutation: {
    step: "decision",
    says: "Your answer becomes a decision: a change that everybody below inherits. The card says whom it binds and where a trial met a conflict.",
    next: "Read what it changes, and approve.",
  },
  pattern: {
    step: "pattern",
    says: "The run proposes a rule for later runs. It is only used if you approve it, and you can edit it first.",
    next: "Read it, and approve or reject.",
  },
  land: {
    step: "landing",
    says: "Everything is joined, checked and voted on. Nothing has touched your branch yet.",
    next: "Look at the diff if you like, then land it.",
  },
};

/** @returns null: there is nothing to say yet */
export function tourOf(facts: TourFacts): TourView | null {
  const done = tourSteps.map(({ id }) => id).filter((id) => isDone(id, facts));
  const view = (current: TourStepId, said: Said, place: TourPlace | null): TourView => ({
    ...{ current, done, place },
    says: said.says,
    next: said.next,
  });
  if (facts.isOver)
    return view(
      "end",
      facts.isLanded
        ? {
            says: "The result stands on main. All of it was real jj: plan, agents, decision and conflict are changes that you can open.",
            next: "Read the report, or open a repository of your own.",
          }
        : { says: "This run is over, and nothing of it has landed.", next: "Read the report." },
      { kind: "report" },
    );
  const card = facts.cards.find(({ kind }) => Object.hasOwn(ofCards, kind));
  const known = card && ofCards[card.kind];
  if (card && known) return view(known.step, known, { kind: "card", id: card.id });
  const hurt = facts.workers.find(({ isInConflict }) => isInConflict);
  if (hurt)
    return view(
      "conflict",
      {
        says: "This work was built otherwise than the decision says. jj records that as a conflict; its agent corrects it, and nobody else waits.",
        next: hurt.changeId === null ? null : "Look at the change while it is corrected.",
      },
      hurt.changeId === null ? null : { kind: "change", changeId: hurt.changeId },
    );
  if (facts.hasSeats && facts.verdict === null)
    return view(
      "votes",
      {
        says: "Four validators judge the result. Each has other evidence, and none sees how another votes.",
        next: "Read their reasons as they come.",
      },
      { kind: "votes" },
    );
  if (!facts.isPlanApproved)
    return view(
      "plan",
      { says: "The orchestrator reads the repository and makes a plan.", next: null },
      null,
    );
  const atWork = facts.workers.find(({ isAtWork, changeId }) => isAtWork && changeId !== null);
  if (atWork?.changeId)
    return view(
      "lanes",
      {
        says: "Each lane is one agent, and its line is one change of jj. A ring is an iteration, with a tick or a cross for its checks.",
        next: "Choose a lane: its conversation, checks and diff stand beside it.",
      },
      { kind: "change", changeId: atWork.changeId },
    );
  return view(
    "lanes",
    { says: "What is done is brought together; the column of the canvas says how far that is.", next: null },
    { kind: "canvas" },
  );
}

/** Steps that begin by themselves, without a card. */
const arriving: ReadonlySet<TourStepId> = new Set(["conflict", "votes", "end"]);

/** Whether something has come that a person should look at; what has gone since, or goes on, is nothing of that kind. */
export function hasNewEvent(before: TourFacts, after: TourFacts): boolean {
  const known = new Set(before.cards.map(({ id }) => id));
  if (after.cards.some(({ id }) => !known.has(id))) return true;
  if (after.verdict !== null && after.verdict !== before.verdict) return true;
  const now = tourOf(after)?.current;
  return now !== undefined && arriving.has(now) && now !== tourOf(before)?.current;
}

function isDone(id: TourStepId, { timeline, ...facts }: TourFacts): boolean {
  const has = (kind: string): boolean => facts.cards.some((card) => card.kind === kind);
  const marks = timeline?.tracks.flatMap((track) => track.marks) ?? [];
  switch (id) {
    case "plan":
      return facts.isPlanApproved;
    case "lanes":
      return marks.some(({ kind }) => kind === "iteration");
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
