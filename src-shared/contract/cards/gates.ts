/** Gates that a person may open in advance, so that the cards that stand there are answered by themselves. */
export const gates = [
  "first-look",
  "plan",
  "mutations",
  "dependencies",
  "folds",
  "patterns",
  "land",
  "questions",
] as const;

export type Gate = (typeof gates)[number];
