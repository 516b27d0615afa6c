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
export const stepIdsOf = (rehearsal: string): readonly TourStepId[] =>
  Object.hasOwn(ids, rehearsal) ? (ids[rehearsal] ?? []) : [...begins, "question", ...ends];
